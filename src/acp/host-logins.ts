/** Log-ins that an agent names in an error: commands an editor would run on the host. Pure. */
import { isRecord, type ResponseFrame } from './frame.ts'

/** The error to put in the place of the agent's, as JSON; absent when it names no log-in. */
export function withoutLogins(frame: ResponseFrame): string | undefined {
  const error = frame.message['error']
  if (!frame.failed || error === undefined || !mayName(frame.bytes)) return undefined
  return JSON.stringify(error, (_key: string, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).filter(([key]) => !LOGIN.test(key)))
      : value,
  )
}

/** `authMethods` and `_meta["terminal-auth"]`, as a reader that folds case takes them, too. */
const LOGIN = /^(?:authmethods|terminal-auth)$/iu

/** Reads the bytes: of a key that is there twice, a parsed object has only the last. */
const mayName = (bytes: Buffer): boolean =>
  /authmethods|terminal-auth/iu.test(
    bytes
      .toString('utf8')
      .replaceAll(/\\u([0-9a-f]{4})/gi, (_all, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
  )
