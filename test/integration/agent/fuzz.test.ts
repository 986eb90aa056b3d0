import { expect, test } from 'vitest'

import { hasHidden } from '../../../container/agent/visible.ts'
import { startAgent } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { AGENT_METHODS, randomFrom, valueOf } from '../../support/agent/schema-values.ts'
import { scriptedModel } from '../../support/agent/scripted-model.ts'

test.for([1, 2, 3])(
  'requests made from the schema, right and nearly right (seed %i), are each answered with a frame',
  async (seed) => {
    await using project = await newProject()
    await using model = await scriptedModel()
    await using agent = await startAgent({ model })
    const sessionId = await agent.session(project.root)
    const random = randomFrom(seed)
    const answers: string[] = []
    for (let count = 0; count < 300; count++) {
      const known = AGENT_METHODS[Math.floor(random() * AGENT_METHODS.length)]
      if (known === undefined) continue
      const params = valueOf(known.definition, random, 40)
      const ends = known.method === 'session/close' || known.method === 'session/delete'
      const aimed = aim(params, ends || random() < 0.3 ? undefined : sessionId, project.root)
      const answer = await agent.agent
        .request(known.method, aimed)
        .then(() => 'result')
        .catch((error: { code?: number; message?: string }) => `${error.code} ${error.message}`)
      answers.push(answer)
    }
    expect(answers.filter((answer) => answer === 'result').length).toBeGreaterThan(10)
    expect(
      answers.filter((answer) => answer.startsWith('-32603 The model')).length,
    ).toBeGreaterThan(0)
    expect(answers.filter((answer) => answer.startsWith('-32602')).length).toBeGreaterThan(10)
    expect(
      answers.filter((answer) => /undefined|-32603 (?!The model)|\n\s+at /.test(answer)),
    ).toEqual([])
    expect(answers.filter((answer) => hasHidden(answer))).toEqual([])
    expect(agent.faults).toEqual([])
    expect(agent.stderr).not.toContain('"level":"error"')
  },
)

/** Makes some of the requests reach the session that is there, and the folder that is there. */
function aim(params: unknown, sessionId: string | undefined, cwd: string): unknown {
  if (typeof params !== 'object' || params === null || sessionId === undefined) return params
  return {
    ...params,
    ...('sessionId' in params ? { sessionId } : {}),
    ...('cwd' in params ? { cwd } : {}),
  }
}
