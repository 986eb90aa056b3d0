import { describe, expect, it } from 'vitest'

import { parseFrame, type RequestFrame } from '../../../src/acp/frame.ts'
import { narrowSessionNew } from '../../../src/acp/session-new.ts'

const narrowed = (text: string) => {
  const { bytes, notices } = narrowSessionNew(parseFrame(Buffer.from(text)) as RequestFrame)
  return { text: bytes.toString(), notices }
}

describe('narrowSessionNew', () => {
  it('passes a frame without servers and folders byte for byte', () => {
    const text = '{"id":1,"method":"session/new","params":{"mcpServers":[ ],"cwd":"/p","x":1.0}}'
    expect(narrowed(text)).toEqual({ text, notices: [] })
  })

  it('takes the editor’s MCP servers away and names them', () => {
    const { text, notices } = narrowed(
      '{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[{"name":"files","command":"/bin/x"},{"name":"web"}],"y":2}}',
    )
    expect(text).toBe('{"id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[],"y":2}}')
    expect(notices).toHaveLength(1)
    expect(notices[0]).toContain('files, web')
  })

  it('takes further folders away and names them', () => {
    const { text, notices } = narrowed(
      '{"id":1,"method":"session/new","params":{"additionalDirectories":["/etc"],"cwd":"/p"}}',
    )
    expect(text).toBe(
      '{"id":1,"method":"session/new","params":{"additionalDirectories":[],"cwd":"/p"}}',
    )
    expect(notices[0]).toContain('/etc')
  })
})
