/** Images of a user, made from Debian packages on this machine. */
import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { pack } from 'tar-fs'

import type { Engine } from '../../../src/docker/engine.ts'
import { ROOT } from './editor.ts'

const run = promisify(execFile)

/** A root file system of one folder. Returns the image's id. */
export async function imageOf(engine: Engine, folder: string, tag: string): Promise<string> {
  const owned = {
    entries: ['.'],
    map: <T extends object>(header: T): T => ({ ...header, uid: 0, gid: 0 }),
  }
  return await engine.importRootfs(pack(folder, owned), tag, [])
}

/** BusyBox and the musl C library: nothing of Debian's own C library is in it. */
export async function muslImage(engine: Engine): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gb-musl-'))
  try {
    await unpack(['busybox-static', 'musl'], join(folder, 'debian'))
    const root = join(folder, 'root')
    for (const name of ['bin', 'lib', 'etc', 'tmp'])
      await mkdir(join(root, name), { recursive: true })
    await copyFile(join(folder, 'debian/bin/busybox'), join(root, 'bin/busybox'))
    const libraries = await readdir(join(folder, 'debian/lib'))
    const loader = libraries.find((name) => name.startsWith('ld-musl')) ?? ''
    await copyFile(join(folder, 'debian/lib', loader), join(root, 'lib', loader))
    for (const name of ['sh', 'cat', 'id', 'ls', 'touch'])
      await symlink('busybox', join(root, 'bin', name))
    return await imageOf(engine, root, 'glovebox-test/musl:1')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A small Debian with these packages. About half a minute and more. */
export async function debianImage(
  engine: Engine,
  tag: string,
  packages: string[],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gb-debian-'))
  const script = join(folder, 'build.sh')
  const archive = join(folder, 'root.tar')
  try {
    const text = await readFile(join(ROOT, 'container/base/build-base.sh'), 'utf8')
    await writeFile(script, text.replace(/^packages=.*$/m, `packages=${packages.join(',')}`))
    await chmod(script, 0o755)
    await writeFile(join(folder, 'no-node'), '#!/bin/sh\nexit 1\n')
    await run(script, [join(folder, 'no-node'), archive])
    return await engine.importRootfs(createReadStream(archive), tag, [])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function unpack(packages: string[], folder: string): Promise<void> {
  const debs = await mkdtemp(join(tmpdir(), 'gb-debs-'))
  try {
    // apt's own user writes there.
    await chmod(debs, 0o777)
    await run('apt-get', ['download', ...packages], { cwd: debs })
    for (const name of await readdir(debs)) await run('dpkg-deb', ['-x', join(debs, name), folder])
  } finally {
    await rm(debs, { recursive: true, force: true })
  }
}
