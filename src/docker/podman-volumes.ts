/** Podman drops the labels of a volume that only a container's request names: it is made before. */
import type Dockerode from 'dockerode'

import { BOUND, engineCall } from './call.ts'
import type { Mount } from './engine.ts'

/** Makes the named volumes among these mounts; one that is there stays as it is. Throws `engine_failed`. */
export async function makeVolumes(docker: Dockerode, mounts: Mount[]): Promise<void> {
  for (const { Type: type, Source: name, VolumeOptions: options } of mounts) {
    if (type !== 'volume' || name === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- there is one
    await engineCall(`create the volume ${name}`, BOUND.create, (abortSignal) =>
      docker.createVolume({ Name: name, Labels: options?.Labels ?? {}, abortSignal }),
    )
  }
}
