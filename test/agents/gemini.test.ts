import { describeAgent, describeKeptSessions } from '../support/e2e/agent-suite.ts'

describeAgent({
  agent: 'gemini',
  preset: 'gemini',
  path: '/v1beta/models/glovebox-demo:streamGenerateContent',
  tries: [],
})

describeKeptSessions({ agent: 'gemini', preset: 'gemini' })
