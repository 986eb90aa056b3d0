/**
 * Podman's Docker API pastes each mount into one line of comma-separated options before it reads
 * it: a comma or quote in a path would be read as options. Such paths go by the older `Binds`,
 * which only a colon breaks.
 */
import { GloveboxError } from '../errors.ts'
import type { HostConfig, Mount } from './engine.ts'

export type WithBinds = HostConfig & { Binds?: string[] }

/** Throws `engine_failed` for a path that neither way can carry. */
export function podmanMounts(host: HostConfig): WithBinds {
  const unsafe = host.Mounts.filter((one) => pathsOf(one).some((path) => /[,"\r\n]/.test(path)))
  if (unsafe.length === 0) return host
  return {
    ...host,
    Mounts: host.Mounts.filter((one) => !unsafe.includes(one)),
    Binds: unsafe.map(asBind),
  }
}

const pathsOf = (mount: Mount): string[] => [mount.Source ?? '', mount.Target]

function asBind(mount: Mount): string {
  const bad = pathsOf(mount).find((path) => /[:\r\n]/.test(path))
  if (bad !== undefined || mount.Type !== 'bind') {
    throw new GloveboxError(
      'engine_failed',
      `Podman cannot mount ${JSON.stringify(bad ?? mount.Target)}: its API has no way to carry such a name.`,
      'Rename the folder (no comma or quote together with a colon, no line break), or use Docker.',
    )
  }
  return [...pathsOf(mount), `${mount.ReadOnly ? 'ro' : 'rw'},rprivate`].join(':')
}
