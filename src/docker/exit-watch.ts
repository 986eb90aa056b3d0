/** Learns how a container ended, through a request that stays open until it does. */
import { objectOf } from './engine-answers.ts'
import { bodyOf, unixResponse } from './unix-request.ts'

export type ExitWatch = {
  /** `undefined` when the engine cannot say how: gone, restarted, or the container unknown. Never rejects. */
  ended: Promise<{ exitCode: number } | undefined>
  stop(): void
}

/** An engine that holds back its headers is waited for this long, in milliseconds. */
const HEADERS_BOUND = 1_000

/** Resolves once the engine watches, so that what happens after is not missed. */
export async function watchExit(
  socketPath: string,
  id: string,
  condition: 'next-exit' | 'not-running',
): Promise<ExitWatch> {
  const controller = new AbortController()
  const response = unixResponse({
    socketPath,
    method: 'POST',
    path: `/containers/${id}/wait?condition=${condition}`,
    signal: controller.signal,
  })
  const ended = response.then(bodyOf).then(exitOf, () => undefined)
  await Promise.race([response.then(noValue, noValue), pause(HEADERS_BOUND, controller.signal)])
  return { ended, stop: () => controller.abort() }
}

function exitOf(body: string): { exitCode: number } | undefined {
  const code = objectOf(body)?.['StatusCode']
  // Podman reports -1 for a container it lost sight of.
  return typeof code === 'number' && code >= 0 ? { exitCode: code } : undefined
}

const noValue = (): undefined => undefined

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
}
