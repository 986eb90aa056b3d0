import { expect, test } from 'vitest'

import { decisionsOf } from '../../../src/demo/decisions.ts'
import { writeProject } from '../../support/demo-model/write-project.ts'

const line = (fields: object) => `${JSON.stringify(fields)}\n`
const created = (session: string, project: string) =>
  line({ type: 'container.create', session, project })
const decided = (session: string, fields: object) =>
  line({
    type: 'egress.decision',
    session,
    kind: 'gateway',
    verdict: 'allow',
    reason: 'allowed',
    ...fields,
  })

test('Only the decisions of the project’s own session count, equal ones together', async () => {
  const post = { method: 'POST', host: 'api.example', port: 443, path: '/v1/messages' }
  const denied = {
    kind: 'connect',
    verdict: 'deny',
    reason: 'host_not_allowed',
    host: 'x.example',
    port: 443,
  }
  await using audit = await writeProject({
    'a.jsonl': created('s-1', '/other') + decided('s-1', post),
    'b.jsonl': `${created('s-2', '/mine')}not json\n${decided('s-2', post)}${decided('s-2', post)}`,
    'c.jsonl': decided('s-2', denied),
    'd.txt': decided('s-2', post),
  })
  expect(await decisionsOf(audit.folder, '/mine')).toEqual([
    {
      verdict: 'allow',
      what: 'gateway POST api.example:443/v1/messages',
      reason: 'allowed',
      times: 2,
    },
    { verdict: 'deny', what: 'connect x.example:443', reason: 'host_not_allowed', times: 1 },
  ])
  expect(await decisionsOf(audit.folder, '/nobody')).toEqual([])
})
