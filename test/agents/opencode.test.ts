import { describeAgent, describeKeptSessions } from '../support/e2e/agent-suite.ts'

// It looks for plugins of its own in npm's registry, and does without.
const tries = [/^registry\./]

describeAgent({ agent: 'opencode', preset: 'openai', path: '/v1/chat/completions', tries })
describeAgent({ agent: 'opencode', preset: 'anthropic', path: '/v1/messages', tries })
describeKeptSessions({ agent: 'opencode', preset: 'openai' })
