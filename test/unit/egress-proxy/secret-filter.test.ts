import { describe, expect, it } from 'vitest'

import { createSecretFilter } from '../../../egress-proxy/secret-filter.ts'

const KEY = 'sk-ssk-secret-0123'
const through = (credential: string | undefined, chunks: Buffer[]): string => {
  const filter = createSecretFilter(credential)
  return Buffer.concat([...chunks.map((chunk) => filter.push(chunk)), filter.end()]).toString()
}

describe('createSecretFilter', () => {
  it('strikes the key out wherever the stream is split, and keeps every length', () => {
    const text = `{"error":"bad key ${KEY}","again":"${KEY}${KEY}","near":"sk-ssk-secre sk-s"}`
    const expected = text.replaceAll(KEY, '*'.repeat(KEY.length))
    const bytes = Buffer.from(text)
    for (let split = 0; split <= bytes.length; split += 1) {
      expect(through(KEY, [bytes.subarray(0, split), bytes.subarray(split)])).toBe(expected)
    }
    expect(
      through(
        KEY,
        [...bytes].map((byte) => Buffer.from([byte])),
      ),
    ).toBe(expected)
  })

  it('knows the key of a Bearer header, and header values', () => {
    expect(through(`Bearer ${KEY}`, [Buffer.from(KEY)])).toBe('*'.repeat(KEY.length))
    expect(createSecretFilter(KEY).header(`realm="${KEY}"`)).not.toContain(KEY)
  })

  it('holds nothing back that cannot be the key', () => {
    expect(createSecretFilter(KEY).push(Buffer.from('data: {}\n\n')).toString()).toBe(
      'data: {}\n\n',
    )
  })

  it('passes everything where there is no key', () => {
    expect(through(undefined, [Buffer.from(KEY)])).toBe(KEY)
  })
})
