import { describeAgent, describeKeptSessions } from '../support/e2e/agent-suite.ts'

describeAgent({ agent: 'codex', preset: 'openai', path: '/v1/responses', tries: [] })
describeKeptSessions({ agent: 'codex', preset: 'openai' })
