/** What of `session/new` an agent may see. Pure. */
import { isRecord, paramsRecord, rewrite, type RequestFrame } from './frame.ts'

export type SessionNew = {
  bytes: Buffer
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
  return { bytes: rewrite(frame, { params: changes }), notices }
}
