/** What a call is about to do, in the terms in which it is judged. Paths are absolute and real. */
export type Need =
  | { access: 'none' }
  | { access: 'read'; path: string }
  | { access: 'edit'; path: string }
  | { access: 'command'; command: string }
  /** To end plan mode, which only the user can allow. */
  | { access: 'leave-plan' }
