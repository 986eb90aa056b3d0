/** The two states of a container in types: one never started has no `exec`, one started no `attach`. */
import { setTimeout as sleep } from 'node:timers/promises'

import type Dockerode from 'dockerode'

import { attach } from './attach.ts'
import { BOUND, engineCall, statusOf, unlessStatus } from './call.ts'
import { InspectAnswer } from './engine-answers.ts'
import type {
  ContainerEnd,
  ContainerInspect,
  CreatedContainer,
  StartedContainer,
} from './engine.ts'
import { exec } from './exec.ts'
import { type ExitWatch, watchExit } from './exit-watch.ts'
import { type OomWatch, watchOom } from './oom-watch.ts'
import { containerUsage } from './usage.ts'

const ENDING_LOOKS = 5
/** Milliseconds. */
const ENDING_PAUSE = 200
/** The exit code after SIGKILL. */
const KILLED = 137
/** How much later than the end the engine may tell why, in ms. */
const OOM_PAUSE = 200

export type Place = { docker: Dockerode; socketPath: string }

export function createdContainer(
  place: Place,
  id: string,
  warnings: readonly string[],
): CreatedContainer {
  const container = place.docker.getContainer(id)
  return {
    id,
    warnings: [...warnings],
    inspect: () => inspectContainer(container),
    attach: () => attach(place.socketPath, id),
    start: async () => {
      // Asked before the start: a container that removes itself may be gone right after it.
      const watch = await watchExit(place.socketPath, id, 'next-exit')
      const oom = watchOom(place.socketPath, id)
      try {
        await engineCall('start the container', BOUND.start, (abortSignal) =>
          container.start({ abortSignal }),
        )
      } catch (error) {
        watch.stop()
        oom.stop()
        throw error
      }
      return startedContainer(place, id, endOf(watch, oom))
    },
    remove: () => removeContainer(container),
  }
}

export function startedContainer(
  place: Place,
  id: string,
  end?: Promise<ContainerEnd | undefined>,
): StartedContainer {
  const container = place.docker.getContainer(id)
  return {
    id,
    inspect: () => inspectContainer(container),
    wait: async () => {
      if (end !== undefined) return await end
      const watch = await watchExit(place.socketPath, id, 'not-running')
      return await endOf(watch, { hit: () => false, stop: () => undefined })
    },
    kill: (signal) => kill(container, signal),
    usage: () => containerUsage(container),
    pause: () => freeze(container, 'pause'),
    unpause: () => freeze(container, 'unpause'),
    exec: (command) => exec(container, command),
    remove: () => removeContainer(container),
  }
}

/** The two tell of an end on connections of their own, in any order. */
async function endOf(watch: ExitWatch, oom: OomWatch): Promise<ContainerEnd | undefined> {
  const exit = await watch.ended
  if (exit?.exitCode === KILLED && !oom.hit()) await sleep(OOM_PAUSE)
  oom.stop()
  return exit === undefined
    ? undefined
    : { ...exit, outOfMemory: oom.hit() && exit.exitCode === KILLED }
}

async function kill(container: Dockerode.Container, signal: string): Promise<void> {
  try {
    await engineCall(`send ${signal} to the container`, BOUND.kill, (abortSignal) =>
      container.kill({ signal, abortSignal }),
    )
  } catch (error) {
    // It ended by itself before the signal came: each engine has its own status and words for that.
    if (!(await endsSoon(container))) throw error
  }
}

async function freeze(container: Dockerode.Container, what: 'pause' | 'unpause'): Promise<void> {
  await engineCall(`${what} the container`, BOUND.kill, async (abortSignal) => {
    // 409: it is so already.
    await unlessStatus([409], container[what]({ abortSignal }))
  })
}

/** A busy Podman says `stopped` to a signal while it still lists the container as running. */
async function endsSoon(container: Dockerode.Container): Promise<boolean> {
  for (let look = 0; look < ENDING_LOOKS; look += 1) {
    // oxlint-disable-next-line no-await-in-loop -- it is the waiting that is wanted
    if (!(await isRunning(container))) return true
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sleep(ENDING_PAUSE)
  }
  return false
}

async function isRunning(container: Dockerode.Container): Promise<boolean> {
  return await engineCall('inspect the container', BOUND.inspect, async (abortSignal) => {
    const found = await unlessStatus([404], container.inspect({ abortSignal }))
    return found?.State.Running === true
  })
}

async function inspectContainer(container: Dockerode.Container): Promise<ContainerInspect> {
  return await engineCall('inspect the container', BOUND.inspect, async (abortSignal) =>
    InspectAnswer.parse(await container.inspect({ abortSignal })),
  )
}

async function removeContainer(container: Dockerode.Container): Promise<void> {
  await engineCall('remove the container', BOUND.remove, async (abortSignal) => {
    for (let look = 1; ; look += 1) {
      try {
        // 409: its own AutoRemove is at work.
        const removal = container.remove({ force: true, v: true, abortSignal })
        // oxlint-disable-next-line no-await-in-loop -- one try after the other
        await unlessStatus([404, 409], removal)
        return
      } catch (error) {
        // Podman fails on one that is just ending by itself ("state improper"); soon it is gone.
        if (statusOf(error) !== 500 || look === ENDING_LOOKS) throw error
      }
      // oxlint-disable-next-line no-await-in-loop -- it is the waiting that is wanted
      await sleep(ENDING_PAUSE)
    }
  })
}
