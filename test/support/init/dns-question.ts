/** DNS messages as a client, or an attacker, writes them. */

export type QuestionOptions = {
  id?: number
  flags?: number
  type?: number
  class?: number
  /** The EDNS version of an OPT record to add. */
  edns?: number
}

/** A question for a name such as `Allowed.test`. */
export function question(name: string, options: QuestionOptions = {}): Buffer {
  const labels = name === '' ? [] : name.split('.')
  return rawQuestion(encodeName(labels.map((label) => Buffer.from(label, 'latin1'))), options)
}

/** A question whose name is these bytes. */
export function rawQuestion(name: Buffer, options: QuestionOptions = {}): Buffer {
  const { id = 0x1234, flags = 0x0100, type = 1, class: klass = 1, edns } = options
  const opt = edns === undefined ? [] : [Buffer.from([0, 0, 41, 4, 208, 0, edns, 0, 0, 0, 0])]
  const counts = [1, 0, 0, opt.length]
  return Buffer.concat([words(id, flags, ...counts), name, words(type, klass), ...opt])
}

export function encodeName(labels: Buffer[]): Buffer {
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), label])
  return Buffer.concat([...parts, Buffer.from([0])])
}

/** 16-bit numbers in network order. */
export function words(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2)
  for (const [at, number] of numbers.entries()) bytes.writeUInt16BE(number, at * 2)
  return bytes
}
