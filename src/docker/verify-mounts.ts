/** The part of `verifyCreated` on what of the host, and which memory, is mounted. */
import { isDeepStrictEqual } from 'node:util'

import { z } from 'zod'

import { type Difference, difference } from './difference.ts'
import { differencesOf } from './differences.ts'
import type { ContainerBody, ContainerInspect, EngineInfo, Mount } from './engine.ts'

type Found = ContainerInspect['Mounts'][number]

/** None may be missing, none may be more, and each must be from where and as writable as asked. */
export function compareMounts(
  { HostConfig: asked }: ContainerBody,
  found: ContainerInspect,
  info: EngineInfo,
): Difference[] {
  const rest = new Map(found.Mounts.map((one) => [one.Destination, one]))
  const differences = asked.Mounts.flatMap((mount) => {
    const made = rest.get(mount.Target)
    rest.delete(mount.Target)
    return compareMount(mount, made)
  })
  const foreign = [...rest.values()].filter((one) => !isTmpfs(one, asked.Tmpfs))
  return [
    ...(rest.size + asked.Mounts.length < found.Mounts.length
      ? [difference('Mounts', 'one mount a path', 'several')]
      : []),
    ...differences,
    ...compareVolumesFrom(asked, foreign, found),
    ...compareTmpfs(asked.Tmpfs, found.HostConfig['Tmpfs'], info),
  ]
}

function compareMount(asked: Mount, found: Found | undefined): Difference[] {
  const field = `Mounts.${asked.Target}`
  const wanted = `${asked.Type} of ${asked.Source ?? 'a new volume'}, ${access(!asked.ReadOnly)}`
  if (found === undefined) return [difference(field, wanted, 'no mount')]
  const told = `${found.Type} of ${found.Source}, ${access(found.RW)}`
  const right =
    found.Type === asked.Type &&
    found.RW === !asked.ReadOnly &&
    (asked.Source === undefined || asked.Source === sourceOf(found))
  return right ? [] : [difference(field, wanted, told)]
}

const access = (writable: boolean): string => (writable ? 'writable' : 'read-only')

/** Named volumes are asked for by name; inspect tells their folder as the source. */
const sourceOf = (found: Found): string | undefined =>
  found.Type === 'volume' ? found.Name : found.Source

/** Some engines list a tmpfs as a mount too. */
const isTmpfs = (mount: Found, asked: Record<string, string>): boolean =>
  mount.Type === 'tmpfs' && mount.Destination in asked

/** The one mount that is not asked for by its path: the other container's volume, read-only. */
function compareVolumesFrom(
  asked: ContainerBody['HostConfig'],
  foreign: Found[],
  found: ContainerInspect,
): Difference[] {
  const from = asked.VolumesFrom ?? []
  const told = found.HostConfig['VolumesFrom'] ?? []
  const shared = foreign.filter((one) => from.length > 0 && one.Type === 'volume' && !one.RW)
  const unasked = foreign.filter((one) => !shared.includes(one))
  return [
    ...unasked.map((one) =>
      difference(`Mounts.${one.Destination}`, 'no mount', `${one.Type}, ${access(one.RW)}`),
    ),
    ...(shared.length === from.length && isDeepStrictEqual(told, from)
      ? []
      : [difference('HostConfig.VolumesFrom', from, told)]),
  ]
}

function compareTmpfs(
  asked: Record<string, string>,
  found: unknown,
  info: EngineInfo,
): Difference[] {
  const told = z.record(z.string(), z.string()).safeParse(found).data ?? {}
  const added = differencesOf(info).told.tmpfsOptions
  const paths = new Set([...Object.keys(asked), ...Object.keys(told)])
  return [...paths].flatMap((path) => {
    const options = told[path]?.split(',').filter((one) => !added.includes(one))
    const wanted = asked[path]?.split(',')
    const equal = options?.toSorted().join() === wanted?.toSorted().join()
    return equal ? [] : [difference(`HostConfig.Tmpfs.${path}`, asked[path], told[path])]
  })
}
