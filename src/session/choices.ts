/** What the editor chose for a session (mode, model, options), to choose it again after a restart. */
import {
  idKey,
  isRecord,
  paramsRecord,
  type RequestFrame,
  type ResponseFrame,
} from '../acp/frame.ts'

/** Requests that choose something, and the field that says what is chosen. */
const CHOOSING: Record<string, string> = {
  'session/set_mode': 'modeId',
  'session/set_model': 'modelId',
  'session/set_config_option': 'value',
}

/** At most this many are kept; an agent has a handful. */
const MAX_CHOICES = 100

export type Choice = {
  method: string
  /** As the editor sent them, without the session's id. */
  params: Record<string, unknown>
}

export class Choices {
  /** Requests that are not answered, by id key. */
  readonly #open = new Map<string, Choice>()
  /** By what is chosen, in the order of choice. */
  readonly #made = new Map<string, Choice>()

  /** A request of the editor goes to the agent. */
  asked(frame: RequestFrame): void {
    if (CHOOSING[frame.method] === undefined || this.#open.size >= MAX_CHOICES) return
    const { sessionId: _sessionId, ...params } = paramsRecord(frame)
    this.#open.set(idKey(frame.id), { method: frame.method, params })
  }

  /** The agent answered a request of the editor. */
  answered(frame: ResponseFrame): void {
    const choice = this.#open.get(idKey(frame.id))
    if (choice === undefined) return
    this.#open.delete(idKey(frame.id))
    if (frame.failed) return
    const name = nameOf(choice)
    this.#made.delete(name)
    if (this.#made.size < MAX_CHOICES) this.#made.set(name, choice)
    if (isRecord(frame.message['result'])) this.#overruled(frame.message['result'])
  }

  /** An update of the agent: what it chose otherwise since is not the editor's choice any more. */
  seen(update: Record<string, unknown>): void {
    const { sessionUpdate, currentModeId } = update
    if (sessionUpdate === 'current_mode_update') {
      const made = this.#made.get('session/set_mode')
      if (made?.params['modeId'] !== currentModeId) this.#made.delete('session/set_mode')
    }
    if (sessionUpdate === 'config_option_update') this.#overruled(update)
  }

  /** The choices that a restored session does not show in its answer to the request that opened it. */
  lost(answer: unknown): Choice[] {
    return [...this.#made.values()].filter((choice) => !shows(answer, choice))
  }

  #overruled(holder: Record<string, unknown>): void {
    for (const [name, choice] of this.#made) {
      if (choice.method !== 'session/set_config_option') continue
      const found = optionOf(holder, choice)
      if (found !== undefined && found !== choice.params['value']) this.#made.delete(name)
    }
  }
}

/** What is chosen, such as `session/set_mode` or an option's own id. */
export function nameOf({ method, params }: Choice): string {
  return method === 'session/set_config_option' ? String(params['configId']) : method
}

function shows(answer: unknown, choice: Choice): boolean {
  if (!isRecord(answer)) return false
  const { method, params } = choice
  if (method === 'session/set_config_option') return optionOf(answer, choice) === params['value']
  const [holder, current] =
    method === 'session/set_mode' ? ['modes', 'currentModeId'] : ['models', 'currentModelId']
  const state = answer[holder ?? '']
  return isRecord(state) && state[current ?? ''] === params[CHOOSING[method] ?? '']
}

function optionOf(holder: Record<string, unknown>, { params }: Choice): unknown {
  const options = holder['configOptions']
  if (!Array.isArray(options)) return undefined
  const found: unknown = options.find(
    (option) => isRecord(option) && option['id'] === params['configId'],
  )
  return isRecord(found) ? found['currentValue'] : undefined
}
