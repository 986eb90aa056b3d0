/** Puts a test's own agent program in the place of the bundled one, in an image of its own. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { lockEntry, lockImages, readLock } from '../../../src/images/lock.ts'
import { statePaths } from '../../../src/state.ts'
import { ROOT } from './editor.ts'
import type { World } from './world.ts'

/** `script`: a file of test/support/agents. The image is built on the bundled agent's and pinned. */
export async function useAgent(world: World, script: string): Promise<void> {
  const path = statePaths(world.env).lock
  const uri = world.engine.info.uri
  const bundled = lockEntry(await readLock(path), uri, 'agent-bundled')
  if (bundled === undefined) throw new Error('the bundled agent is not built')
  // Another checkout on this engine has another base, and must not move the tag.
  const base = (bundled.id ?? '').replace('sha256:', '').slice(0, 12) || 'latest'
  const name = `glovebox-test/${script.replace('.mjs', '')}:${base}`
  const folder = await mkdtemp(join(tmpdir(), 'gb-image-'))
  try {
    await copyFile(join(ROOT, 'test', 'support', 'agents', script), join(folder, 'agent.mjs'))
    await writeFile(
      join(folder, 'Dockerfile'),
      `ARG BASE\nFROM \${BASE} AS agent\nCOPY agent.mjs /opt/glovebox/agent.mjs\n`,
    )
    const id = await world.engine.build(folder, ['Dockerfile', 'agent.mjs'], {
      tag: name,
      target: 'agent',
      buildArgs: { BASE: bundled.name },
      labels: { 'glovebox-test': '1' },
      onLine: () => undefined,
    })
    await lockImages(path, uri, { 'agent-bundled': { name, id } })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
