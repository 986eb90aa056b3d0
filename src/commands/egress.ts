/** `glovebox egress explain`: whether a destination may be reached, by which rule, or why not. */
import { EXIT, GloveboxError } from '../errors.ts'
import { EGRESS_PRESET_NAMES, presetHosts } from '../policy/egress-presets.ts'
import { type ExplainedEgress, type LayerName, explainEgress } from '../policy/explain-egress.ts'
import { loadLayers } from '../policy/load.ts'
import { statePaths } from '../state.ts'
import { parseArguments } from './arguments.ts'
import type { Io } from './io.ts'

const USAGE =
  'glovebox egress explain HOST[:PORT] [METHOD PATH] [--project FOLDER] [--json] | glovebox egress presets [--json]'

const OPTIONS = { json: { type: 'boolean' }, project: { type: 'string' } } as const

/**
 * Returns 0 when the destination is allowed and 1 when not. Asks no name server and starts nothing.
 * Errors: `usage`, `config_invalid`.
 */
export function egressCommand(argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArguments(USAGE, argv, OPTIONS, 4)
  const [verb, destination, method, path] = positionals
  const json = values['json'] === true
  if (verb === 'presets' && destination === undefined) return Promise.resolve(presets(io, json))
  if (verb !== 'explain' || destination === undefined) {
    throw new GloveboxError('usage', 'egress needs the words explain HOST.', `Usage: ${USAGE}`)
  }
  if (method !== undefined && !/^[A-Z][A-Z-]*$/.test(method)) {
    throw new GloveboxError('usage', `${method} is no method in upper case.`, `Usage: ${USAGE}`)
  }
  if (method !== undefined && path === undefined) {
    throw new GloveboxError('usage', 'A method needs a path.', `Usage: ${USAGE}`)
  }
  const project = typeof values['project'] === 'string' ? values['project'] : process.cwd()
  const layers = loadLayers(statePaths(io.env), project)
  const explained = explainEgress(layers, { destination, method, path })
  io.stdout.write(`${json ? JSON.stringify(explained, null, 2) : render(explained)}\n`)
  return Promise.resolve(explained.allowed ? EXIT.ok : EXIT.failed)
}

const LAYER: Record<LayerName, string> = {
  admin: "the administrator's policy",
  user: "the user's configuration",
  project: "the project's .glovebox.json",
  default: 'the default: nothing but the model provider',
}

function render(explained: ExplainedEgress): string {
  const { allowed, destination, canonical, rule, why, reason, sentence, layer } = explained
  return [
    `${allowed ? 'allowed' : 'denied '}  ${canonical ?? destination}`,
    ...(rule === undefined ? [] : [`rule     ${rule}`]),
    ...(why === undefined ? [] : [`why      ${why}`]),
    ...(reason === undefined ? [] : [`reason   ${reason}`, `         ${sentence ?? ''}`]),
    ...(layer === undefined ? [] : [`layer    ${LAYER[layer]}`]),
  ].join('\n')
}

function presets(io: Io, json: boolean): number {
  const all = EGRESS_PRESET_NAMES.map((name) => ({
    name,
    hosts: presetHosts(name).map(({ host, via, why }) => ({
      host,
      port: via?.port ?? 443,
      protocol: via?.protocol ?? 'tls',
      why,
    })),
  }))
  const lines = all.flatMap(({ name, hosts }) => [
    name,
    ...hosts.map(({ host, port, protocol, why }) => `  ${host}:${port} (${protocol}): ${why}`),
  ])
  io.stdout.write(`${json ? JSON.stringify({ presets: all }, null, 2) : lines.join('\n')}\n`)
  return EXIT.ok
}
