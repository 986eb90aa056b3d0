/** What one launcher, named by its process id, still has in an engine. */
import type { Engine } from '../../../src/docker/engine.ts'
import { LABEL } from '../../../src/session/labels.ts'

export type Left = { running: number; containers: number; volumes: number }

export const NOTHING: Left = { running: 0, containers: 0, volumes: 0 }
export const isNothing = ({ containers, volumes }: Left): boolean => containers + volumes === 0
export const nothingRuns = ({ running }: Left): boolean => running === 0

export async function leftOf(engine: Engine, pids: readonly number[]): Promise<Left> {
  const own = (found: { labels: Record<string, string> }): boolean =>
    pids.some((pid) => found.labels[LABEL.launcher]?.split('/')[2] === String(pid))
  const containers = (await engine.list(LABEL.any)).filter(own)
  return {
    running: containers.filter(({ state }) => state === 'running').length,
    containers: containers.length,
    volumes: (await engine.volumes(LABEL.any)).filter(own).length,
  }
}

/** Looks until `done` holds or `bound` ms passed; what is left then, and how long it took. */
export async function leftAfter(
  engine: Engine,
  pids: readonly number[],
  bound: number,
  done: (left: Left) => boolean = isNothing,
): Promise<{ left: Left; took: number }> {
  const begun = performance.now()
  for (;;) {
    const left = await leftOf(engine, pids)
    const took = performance.now() - begun
    if (done(left) || took > bound) return { left, took }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
