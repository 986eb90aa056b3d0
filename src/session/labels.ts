/** The labels on every resource of ours in an engine. */
export const LABEL = {
  /** On everything; the one recovery query. */
  any: 'glovebox',
  role: 'glovebox.role',
  session: 'glovebox.session',
  launcher: 'glovebox.launcher',
  project: 'glovebox.project',
  agent: 'glovebox.agent',
  /** The user id of the launcher: one engine may serve several users. */
  user: 'glovebox.user',
} as const

export type Role = 'agent' | 'proxy'

/** Labels of one container or volume of a session. */
export function labels(
  role: Role,
  session: string,
  launcher: string,
  project?: string,
  agent?: string,
): Record<string, string> {
  return {
    [LABEL.any]: '1',
    [LABEL.role]: role,
    [LABEL.session]: session,
    [LABEL.launcher]: launcher,
    [LABEL.user]: String(process.getuid?.() ?? 0),
    ...(project === undefined ? {} : { [LABEL.project]: project }),
    ...(agent === undefined ? {} : { [LABEL.agent]: agent }),
  }
}
