/** The part of `verifyCreated` on limits: an engine may take one, say nothing and not enforce it. */
import { z } from 'zod'

import { type Difference, difference } from './difference.ts'
import type { ContainerBody, ContainerInspect, HostConfig } from './engine.ts'

export function compareLimits(
  { HostConfig: asked }: ContainerBody,
  { HostConfig: found }: ContainerInspect,
): Difference[] {
  const limits = (['PidsLimit', 'Memory', 'MemorySwap'] as const).flatMap((field) =>
    asked[field] === found[field] ? [] : [unenforced(field, asked[field], found[field])],
  )
  const cpus = cpusOf(found)
  return [
    ...limits,
    ...(cpus === asked.NanoCpus ? [] : [unenforced('NanoCpus', asked.NanoCpus, cpus)]),
    ...asked.Ulimits.flatMap((limit) => compareUlimit(limit, found['Ulimits'])),
  ]
}

/** As a share of periods where an engine tells it so. */
function cpusOf(found: ContainerInspect['HostConfig']): unknown {
  const { NanoCpus: nano, CpuQuota: quota, CpuPeriod: period } = found
  if (nano || typeof quota !== 'number' || typeof period !== 'number' || period === 0) return nano
  return Math.round((quota / period) * 1e9)
}

function compareUlimit(asked: HostConfig['Ulimits'][number], list: unknown): Difference[] {
  const all = Ulimits.safeParse(list).data ?? []
  // Podman tells `RLIMIT_NOFILE` for `nofile`.
  const found = all.find(({ Name: name }) => plain(name) === asked.Name)
  if (found?.Soft === asked.Soft && found.Hard === asked.Hard) return []
  const wanted = `${asked.Soft}:${asked.Hard}`
  const told = found === undefined ? undefined : `${found.Soft}:${found.Hard}`
  return [unenforced(`Ulimits.${asked.Name}`, wanted, told)]
}

const Ulimits = z.array(z.object({ Name: z.string(), Soft: z.number(), Hard: z.number() }))

const plain = (name: string): string => name.replace(/^RLIMIT_/, '').toLowerCase()

const unenforced = (field: string, asked: unknown, found: unknown): Difference =>
  difference(`HostConfig.${field}`, asked, found, 'limit-not-enforced')
