/** What a sealed container must answer to the probe, and what the engine must tell of it. */
import type { ContainerInspect } from '../docker/engine.ts'
import { imageId } from '../docker/image-store.ts'
import type { ProbeAnswers } from './probe.ts'
import { rulesFor, type Expectations } from './verify-rules.ts'

/** One line of `glovebox verify`. */
export type Check = {
  id: string
  ok: boolean
  expected: string
  found: string
  /** Of `test/guarantees.ts`. */
  guarantee: string
}

/** Compares a probe's answers; a probe that did not reach its end fails the check `probe`. Pure. */
export function judgeProbe(answers: ProbeAnswers, wanted: Expectations): Check[] {
  const ended = answers.get('end') === 'yes'
  const first = {
    id: 'probe',
    ok: ended,
    expected: 'ran to its end',
    found: ended ? 'ran to its end' : 'did not',
    guarantee: 'G-MOUNT',
  }
  return [
    first,
    ...rulesFor(wanted).flatMap(({ id, guarantee, expected, holds, optional }) => {
      const found = answers.get(id)
      if (optional === true && (found === undefined || found === 'no-tool')) return []
      const ok = found !== undefined && holds(found)
      return [
        { id, ok, expected, found: found === '' ? 'none' : (found ?? 'not looked at'), guarantee },
      ]
    }),
  ]
}

/** What the engine itself says; pure. */
export function judgeInspect(
  inspect: ContainerInspect,
  lockedImage: string,
  canary: string,
): Check[] {
  const host = inspect.HostConfig
  const log = host['LogConfig']
  const type = typeof log === 'object' && log !== null && 'Type' in log ? log.Type : undefined
  const list = (name: string): unknown => host[name] ?? []
  return [
    row('network', 'G-NET', 'none', host['NetworkMode']),
    row('networks', 'G-NET', ['none'], networksOf(inspect)),
    row('privileged', 'G-MOUNT', false, host['Privileged']),
    row('read-only', 'G-MOUNT', true, host['ReadonlyRootfs']),
    row('added-capabilities', 'G-MOUNT', [], list('CapAdd')),
    row('devices', 'G-MOUNT', [], list('Devices')),
    row('pid', 'G-MOUNT', '', own(host['PidMode'])),
    row('uts', 'G-MOUNT', '', own(host['UTSMode'])),
    row('ports', 'G-NET', '{}', JSON.stringify(host['PortBindings'] ?? {})),
    row('auto-remove', 'G-REAP', true, host['AutoRemove']),
    row('log', 'G-KEY', 'none', type),
    row('init-stdin', 'G-REAP', true, inspect.Config['OpenStdin']),
    row('image', 'G-PIN', lockedImage, imageId(inspect.Image)),
    row('key', 'G-KEY', false, JSON.stringify(inspect).includes(canary)),
  ]
}

const row = (id: string, guarantee: string, expected: unknown, found: unknown): Check => {
  const [wanted, told] = [expected, found].map((value) => JSON.stringify(value) ?? 'nothing')
  return {
    id: `engine.${id}`,
    guarantee,
    ok: wanted === told,
    expected: wanted ?? '',
    found: told ?? '',
  }
}

/** Podman lists none where Docker lists the one called none. */
function networksOf({ NetworkSettings: { Networks } }: ContainerInspect): string[] {
  const names = Object.keys(Networks)
  return names.length === 0 ? ['none'] : names
}

/** A namespace of its own: nothing for Docker, a word for Podman. */
const own = (mode: unknown): unknown => (mode === 'private' ? '' : (mode ?? ''))
