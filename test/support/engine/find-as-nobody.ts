import { findEngineInfo } from '../../../src/docker/find.ts'
/** Looks for an engine without root's rights, and prints the error as JSON. */
import { GloveboxError } from '../../../src/errors.ts'

if (process.getuid?.() === 0) {
  process.setgid?.(65_534)
  process.setuid?.(65_534)
}
const [variable = '', socket = ''] = process.argv.slice(2)
try {
  const env = { HOME: '/does/not/exist', [variable]: `unix://${socket}` }
  await findEngineInfo(env, { sockets: [socket] })
} catch (error) {
  const { code, sentence } = error instanceof GloveboxError ? error : { code: '', sentence: '' }
  process.stdout.write(JSON.stringify({ code, sentence }))
}
