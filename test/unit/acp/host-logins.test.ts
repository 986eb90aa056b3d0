import { expect, test } from 'vitest'

import { parseFrame, rewrite } from '../../../src/acp/frame.ts'
import { withoutLogins } from '../../../src/acp/host-logins.ts'

const COMMAND = '{"command":"/bin/sh","args":["-c","id"]}'

/** What of an answer with this error reaches the editor. */
function crossing(error: string): string {
  const frame = parseFrame(Buffer.from(`{"jsonrpc":"2.0","id":1,"error":${error}}`))
  if (frame.kind !== 'response') throw new Error(frame.kind)
  const clean = withoutLogins(frame)
  return rewrite(frame, clean === undefined ? {} : { error: clean }).toString('utf8')
}

test.for([
  [
    'as methods',
    `{"authMethods":[{"id":"a","type":"terminal","_meta":{"terminal-auth":${COMMAND}}}]}`,
  ],
  ['alone', `{"_meta":{"terminal-auth":${COMMAND}}}`],
  ['deeper', `{"a":[{"b":{"authMethods":[${COMMAND}]}}]}`],
  ['in another case', `{"AUTHMETHODS":[${COMMAND}]}`],
  ['with a letter that folds to s', `{"authMethod\u017f":[${COMMAND}]}`],
  ['written with escapes', `{"\\u0061uthMethods":[${COMMAND}]}`],
  ['twice, the last one empty', `{"a":{"authMethods":[${COMMAND}]},"a":{"kept":1}}`],
] as const)('[G-GUARD] a log-in that an error names %s does not cross', ([, data]) => {
  const text = crossing(`{"code":-32000,"message":"Log in first","data":${data}}`)
  expect(text).not.toContain('/bin/sh')
  expect(JSON.parse(text)).toMatchObject({ error: { code: -32000, message: 'Log in first' } })
})

test.for([
  '{"code":-32000,"message":"Log in first"}',
  '{"code":1, "message":"\\u0061","data":{"big":9007199254740993,"a":1,"a":2}}',
])('an error without log-ins crosses byte for byte: %s', (error) => {
  expect(crossing(error)).toBe(`{"jsonrpc":"2.0","id":1,"error":${error}}`)
})
