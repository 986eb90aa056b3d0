/** Which layer of the policy allows or denies a destination. Pure. */
import { type Explained, type Question, explainDestination } from '../../egress-proxy/explain.ts'
import type { EgressRule } from '../../egress-proxy/policy.ts'
import { EGRESS_PRESET_NAMES, presetHosts, rulesOf } from './egress-presets.ts'
import { type Layers, mergePolicy } from './merge.ts'

export type LayerName = 'admin' | 'user' | 'project' | 'default'

export type ExplainedEgress = {
  destination: string
  allowed: boolean
  canonical?: string | undefined
  /** The rule that lets it through; `a & b` when two layers have one. */
  rule?: string | undefined
  /** What a preset names the host for. */
  why?: string | undefined
  reason?: string | undefined
  sentence?: string | undefined
  /** Whose rules allow it, or which layer denies it. */
  layer?: LayerName | undefined
}

/** The answer for all layers together, as a session's proxy would give it. */
export function explainEgress(layers: Layers, question: Question): ExplainedEgress {
  const whole = ask(layers, question)
  return {
    destination: question.destination,
    allowed: whole.allowed,
    canonical: whole.canonical,
    rule: whole.rule?.id,
    why: whole.rule === undefined ? undefined : whyOf(whole.rule),
    reason: whole.reason,
    sentence: whole.sentence,
    layer: whole.canonical === undefined ? undefined : layerOf(layers, question),
  }
}

function ask(layers: Layers, question: Question): Explained {
  const { egress, providers } = mergePolicy(layers)
  const gateway = Object.entries(providers).map(([id, { preset, base_url: origin }]) => ({
    id,
    preset,
    origin,
  }))
  return explainDestination({ ...egress, gateway }, question)
}

/** Only the user's file adds; then the first layer that takes away speaks. */
function layerOf({ admin, user, project }: Layers, question: Question): LayerName {
  const own = rulesOf(user?.egress) !== undefined || user?.egress?.deny !== undefined
  if (!ask({ user }, question).allowed) return own ? 'user' : 'default'
  if (!ask({ user, admin }, question).allowed) return 'admin'
  return ask({ user, admin, project }, question).allowed ? 'user' : 'project'
}

function whyOf({ host, ports }: EgressRule): string | undefined {
  return EGRESS_PRESET_NAMES.flatMap(presetHosts).find(
    (entry) => entry.host === host && ports.includes(entry.via?.port ?? 443),
  )?.why
}
