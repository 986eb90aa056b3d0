import { chown, mkdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { projectMounts } from '../../../src/docker/mounts.ts'
import { verifyCreated } from '../../../src/docker/verify-created.ts'
import { checkCwd } from '../../../src/project/cwd.ts'
import { type Bench, bench, look, run, testEngines } from '../../support/engine/engines.ts'

async function folderOf(b: Bench, name: string): Promise<string> {
  const path = join(b.project, name)
  await mkdir(path)
  if (process.getuid?.() === 0) await chown(path, b.user.uid, b.user.gid)
  return path
}

describe.for(await testEngines())('On %s', ([, uri]) => {
  test.for(['a b', 'a:b', 'a,b', 'ünï ✓', 'a"b\'c', '$HOME'])(
    'a project folder named %j is at its own path, and written as its owner',
    async (name) => {
      await using b = await bench(uri)
      const path = await folderOf(b, name)
      const folder = await checkCwd(path)
      const seen = await look(b, 'pwd; echo inside > made', {
        cwd: path,
        mounts: projectMounts(folder),
      })
      expect(seen).toBe(`${path}\n`)
      expect(await readFile(join(path, 'made'), 'utf8')).toBe('inside\n')
      // Inside a user namespace its root is the host's user.
      const { uid } = b.engine.info.rootless ? (b.engine.info.owner ?? b.user) : b.user
      expect((await stat(join(path, 'made'))).uid).toBe(uid)
    },
  )

  test('a project reached through a symlink is there by both names', async () => {
    await using b = await bench(uri)
    const path = await folderOf(b, 'real')
    const link = join(b.project, 'link')
    await symlink(path, link)
    const folder = await checkCwd(link)
    const seen = await look(b, `echo one > "${link}/made"; cat "${path}/made"; ls "${b.project}"`, {
      cwd: link,
      mounts: projectMounts(folder),
    })
    expect(seen).toBe('one\nlink\nreal\n')
  })

  test("the proxy's volume is shared, and read-only to the agent", async () => {
    await using b = await bench(uri)
    const script = 'echo shared > /run/glovebox/mark; cat'
    const proxy = await run(b, b.proxy(['sh', '-c', script]))
    const body = b.agent(
      ['sh', '-c', 'cat /run/glovebox/mark; touch /run/glovebox/x 2>&1 | grep -o Read-only; cat'],
      proxy.container.id,
    )
    const agent = await b.engine.create(body)
    const found = verifyCreated(body, await agent.inspect(), b.engine.info)
    expect(found.filter((one) => one.kind === 'difference')).toEqual([])
    const limited = !(b.engine.info.rootless && b.engine.info.cgroupVersion === '1')
    expect(found.length === 0).toBe(limited)
    const streams = await agent.attach()
    const started = await agent.start()
    streams.stdin.end()
    streams.stderr.resume()
    expect(Buffer.concat(await streams.stdout.toArray()).toString()).toBe('shared\nRead-only\n')
    await started.wait()
    await proxy.container.remove()
  })
})
