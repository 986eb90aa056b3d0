import { inspect } from 'node:util'

/** A value that is never printed: not by `String()`, `JSON.stringify`, `util.inspect` or a template. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  /** The one way to the value; call it where the secret leaves for the border, nowhere else. */
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return '***'
  }
  toJSON(): string {
    return '***'
  }
  [inspect.custom](): string {
    return '***'
  }
}
