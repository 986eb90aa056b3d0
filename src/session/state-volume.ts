/** Where an agent keeps what must outlive its container: one named volume for a project and agent. */
import { createHash } from 'node:crypto'

import type { Mount } from '../docker/engine.ts'
import { LABEL } from './labels.ts'

export type StateOwner = {
  agent: string
  /** Without symlinks. */
  project: string
  uid: number
}

/** Of the same project, agent and user; another project's name cannot be guessed into it. */
export function stateVolumeName({ agent, project, uid }: StateOwner): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([project, uid]))
    .digest('hex')
  return `glovebox-state-${agent}-${digest.slice(0, 32)}`
}

/** The mount of that volume at `target`. It carries no launcher's label, so no sweep takes it. */
export function stateMount(owner: StateOwner, target: string): Mount {
  return {
    Type: 'volume',
    Source: stateVolumeName(owner),
    Target: target,
    ReadOnly: false,
    VolumeOptions: {
      Labels: {
        [LABEL.any]: '1',
        [LABEL.role]: 'state',
        [LABEL.project]: owner.project,
        [LABEL.agent]: owner.agent,
      },
    },
  }
}
