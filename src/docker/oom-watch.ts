/** Hears from the engine when the kernel kills something of a container at its memory limit. */
import { unixResponse } from './unix-request.ts'

export type OomWatch = {
  /** Whether it happened. */
  hit: () => boolean
  stop(): void
}

/** Docker tells of it; Podman's stream stays silent. Never throws: unheard is `false`. */
export function watchOom(socketPath: string, id: string): OomWatch {
  const controller = new AbortController()
  const filters = encodeURIComponent(
    JSON.stringify({ type: ['container'], container: [id], event: ['oom'] }),
  )
  let hit = false
  const listen = async (): Promise<void> => {
    const path = `/events?filters=${filters}`
    const { signal } = controller
    try {
      const response = await unixResponse({ socketPath, method: 'GET', path, signal })
      // Only this container's events of this kind come: any byte is one.
      response.on('data', () => (hit ||= response.statusCode === 200))
      response.on('error', () => undefined)
    } catch {
      // Unheard.
    }
  }
  void listen()
  return { hit: () => hit, stop: () => controller.abort() }
}
