import { expect, test } from 'vitest'

import { createResolver } from '../../../egress-proxy/resolver.ts'
import { startDns } from '../../support/egress/stub-dns.ts'

test('those who ask at once share one question, and whoever asks later asks anew', async () => {
  let address = 1
  await using dns = await startDns((_name, type) => (type === 'A' ? [`127.0.0.${address}`] : []))
  const resolve = createResolver({ servers: [dns.server], timeout: 2_000 })
  const answers = await Promise.all(['a.test', 'a.test', 'b.test'].map(resolve))
  expect(answers).toEqual([['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1']])
  expect(dns.queries.toSorted()).toEqual(['a.test', 'a.test', 'b.test', 'b.test'])
  address = 2
  expect(await resolve('a.test')).toEqual(['127.0.0.2'])
})

test('a failure is shared and not kept', async () => {
  let answer: 'fail' | string[] = 'fail'
  await using dns = await startDns((_name, type) =>
    type === 'A' || answer === 'fail' ? answer : [],
  )
  const resolve = createResolver({ servers: [dns.server], timeout: 2_000 })
  const both = await Promise.allSettled([resolve('a.test'), resolve('a.test')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  answer = ['127.0.0.1']
  expect(await resolve('a.test')).toEqual(['127.0.0.1'])
})
