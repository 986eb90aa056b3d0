/** What of `session/new` an agent may see. Pure. */
import { isRecord, paramsRecord, rewrite, type RequestFrame } from './frame.ts'

export type SessionNew = {
  bytes: Buffer
  /** The parameters of `bytes`, without a session's id. */
  params: Record<string, unknown>
  /** Sentences for the user about what was taken away. */
  notices: string[]
}

/**
 * Takes away what names programs or folders of the host: `mcpServers` and `additionalDirectories`.
 * A frame that has neither passes byte for byte.
 */
export function narrowSessionNew(frame: RequestFrame): SessionNew {
  const params = paramsRecord(frame)
  const changes: Record<string, string> = {}
  const notices: string[] = []
  const servers = params['mcpServers']
  if (Array.isArray(servers) && servers.length > 0) {
    changes['mcpServers'] = '[]'
    const names = servers.map((server) => (isRecord(server) ? String(server['name']) : '?'))
    notices.push(
      `the MCP servers of the editor stay outside this container: ${names.join(', ')}. They would run on your host.`,
    )
  }
  const folders = params['additionalDirectories']
  if (Array.isArray(folders) && folders.length > 0) {
    changes['additionalDirectories'] = '[]'
    notices.push(`only the project is mounted, not: ${folders.map(String).join(', ')}.`)
  }
  const { sessionId: _sessionId, ...given } = params
  const narrowed = Object.fromEntries(Object.keys(changes).map((name) => [name, []]))
  return {
    bytes: rewrite(frame, { params: changes }),
    params: { ...given, ...narrowed },
    notices,
  }
}

/** The session's id in an answer to `session/new`. */
export function openedId(result: unknown): string | undefined {
  const id = isRecord(result) ? result['sessionId'] : undefined
  return typeof id === 'string' ? id : undefined
}
