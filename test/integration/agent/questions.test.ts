import { expect, test } from 'vitest'

import { startAgent } from '../../support/agent/agent-process.ts'
import type { AgentOptions } from '../../support/agent/agent-process.ts'
import { newProject } from '../../support/agent/project.ts'
import { scriptedModel, toolResults } from '../../support/agent/scripted-model.ts'

const FORMS = { elicitation: { form: {} } }
const QUESTIONS = [
  {
    question: 'Which \u202edatabase?',
    options: [{ label: 'SQLite', description: 'One file.' }, { label: 'Postgres' }],
  },
  { question: 'Which tests?', options: [{ label: 'unit' }, { label: 'e2e' }], several: true },
  { question: 'Any name?' },
]

/** One turn in which the model asks and then says its last word. */
async function asked(options: AgentOptions) {
  await using project = await newProject()
  await using model = await scriptedModel()
  model.reply({ calls: [{ id: 'q', name: 'ask_user', input: { questions: QUESTIONS } }] })
  model.reply({ text: 'Thanks.' }, { text: 'Thanks.' })
  await using agent = await startAgent({ model, ...options })
  const sessionId = await agent.session(project.root)
  const answer = await agent.prompt(sessionId, 'go')
  const told = agent.text('agent_message_chunk')
  if (model.requests.length === 1) await agent.prompt(sessionId, 'Postgres')
  return { agent, model, sessionId, answer, told, results: toolResults(model.requests[1]) }
}

test('[elicit.form] a client with forms gets single and multiple choices, descriptions, and a field of its own', async () => {
  const { agent, sessionId, answer, results } = await asked({
    capabilities: FORMS,
    elicitation: () => ({
      action: 'accept',
      content: { answer_1: 'SQLite', answer_2: ['unit', 'e2e'], answer_3: 'box' },
    }),
  })
  expect(answer).toEqual({ stopReason: 'end_turn' })
  expect(agent.forms).toEqual([
    {
      mode: 'form',
      sessionId,
      toolCallId: 'q',
      message: 'The agent has questions.',
      requestedSchema: {
        type: 'object',
        properties: {
          answer_1: {
            type: 'string',
            title: String.raw`Which \u{202e}database?`,
            oneOf: [
              { const: 'SQLite', title: 'SQLite', description: 'One file.' },
              { const: 'Postgres', title: 'Postgres' },
            ],
          },
          own_answer_1: expect.objectContaining({ type: 'string', title: 'Another answer' }),
          answer_2: {
            type: 'array',
            title: 'Which tests?',
            items: {
              anyOf: [
                { const: 'unit', title: 'unit' },
                { const: 'e2e', title: 'e2e' },
              ],
            },
          },
          own_answer_2: expect.objectContaining({ type: 'string' }),
          answer_3: { type: 'string', title: 'Any name?' },
        },
      },
    },
  ])
  expect(results[0]?.text).toBe(
    'Which \u202edatabase?\nSQLite\n\nWhich tests?\nunit, e2e\n\nAny name?\nbox',
  )
})

test('[elicit.form] an answer of the user’s own takes the place of the choice', async () => {
  const { results } = await asked({
    capabilities: FORMS,
    elicitation: () => ({
      action: 'accept',
      content: { answer_1: 'SQLite', own_answer_1: 'Redis', answer_2: ['unit'], own_answer_2: '' },
    }),
  })
  expect(results[0]?.text).toMatch(
    /database\?\nRedis\n\nWhich tests\?\nunit\n\nAny name\?\n\(no answer\)$/,
  )
})

test.for(['decline', 'cancel'])('a user who answers %s did not answer', async (action) => {
  const { results } = await asked({ capabilities: FORMS, elicitation: () => ({ action }) })
  expect(results).toEqual([{ id: 'q', text: 'The user did not answer.', failed: true }])
})

test('[elicit.form] [init.clientcaps] without forms the question is asked as text, no form is sent, and the turn ends', async () => {
  const { agent, model, answer, told } = await asked({})
  expect(answer).toEqual({ stopReason: 'end_turn' })
  expect(agent.forms).toEqual([])
  expect(told).toBe(
    'Which \u202edatabase?\n- SQLite: One file.\n- Postgres\n\nWhich tests?\n- unit\n- e2e\n\nAny name?',
  )
  expect(model.requests[1]?.heard).toMatch(
    /The answer is their next message\..*Any name\?.*Postgres/,
  )
})
