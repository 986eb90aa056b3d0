import { describeKeptSessions } from '../support/e2e/agent-suite.ts'

describeKeptSessions({ agent: 'claude', preset: 'anthropic' })
