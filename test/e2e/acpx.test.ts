import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, it } from 'vitest'

import { PROGRAM, ROOT } from '../support/e2e/editor.ts'
import { World } from '../support/e2e/world.ts'

const CLIENT = join(ROOT, 'node_modules', 'acpx', 'dist', 'cli.js')

/** Runs the headless client, which ends with an error of its own when a permission was denied. */
async function acpx(world: World, permission: string, prompt: string): Promise<string> {
  const ran = promisify(execFile)(
    process.execPath,
    [
      CLIENT,
      '--agent',
      `${process.execPath} ${PROGRAM} acp`,
      '--cwd',
      world.project,
      '--format',
      'json',
      permission,
      'exec',
      prompt,
    ],
    { env: world.env, timeout: 60_000 },
  )
  // The JSON lines on stdout are the raw JSON-RPC trace.
  return (await ran.catch((error: { stdout: string }) => error)).stdout
}

describe('acpx, a client of others, driving glovebox acp', () => {
  it('allows a permission: the file is changed and belongs to the project’s owner', async () => {
    await using world = await World.open()
    const trace = await acpx(world, '--approve-all', 'demo: write made.txt by acpx')
    expect(trace).toContain('"stopReason":"end_turn"')
    expect(await world.read('made.txt')).toBe('by acpx\n')
    const { uid } = await stat(join(world.project, 'made.txt'))
    expect(uid).toBe(world.owner.uid)
    expect(trace).toContain('session/request_permission')
  })

  it('denies a permission: the file is unchanged and the model is told', async () => {
    await using world = await World.open()
    await world.write('kept.txt', 'before\n')
    const trace = await acpx(world, '--deny-all', 'demo: write kept.txt after')
    expect(await world.read('kept.txt')).toBe('before\n')
    expect(trace).toContain('"stopReason":"end_turn"')
    const requests = await world.outside.modelRequests()
    expect(
      requests.filter((request) => JSON.stringify(request).includes('/v1/messages')).length,
    ).toBeGreaterThan(1)
  })
})
