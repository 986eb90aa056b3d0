/** Whether a call may run: a pure function of what it needs, the mode and the rules. */
import path from 'node:path'

import type { Mode } from './modes.ts'
import { covered, narrowRule, ruleText, touching } from './rules.ts'
import type { Rule, Subject } from './rules.ts'
import { isSensitive } from './sensitive.ts'

export type Rules = { allow: Rule[]; deny: Rule[] }

export type Judgement =
  | { outcome: 'allow' }
  | { outcome: 'deny'; reason: string }
  /** `rule` is what an answer "for this session" adds. */
  | { outcome: 'ask'; rule: Rule }

/**
 * In this order:
 * 1. a file that holds secrets, without a rule that names it: deny
 * 2. a write into `.git`: deny
 * 3. a write outside the project: deny
 * 4. a deny rule: deny
 * 5. to leave plan mode: ask, always
 * 6. plan mode and more than reading: deny, never ask. No command counts as harmless there: in the
 *    box every command can write the project.
 * 7. reading: allow
 * 8. a command in `build`, a command or an edit in `accept-edits`: allow
 * 9. an allow rule, of the configuration or of this session: allow
 * 10. ask
 */
export function decide(subject: Subject, mode: Mode, rules: Rules): Judgement {
  const { access } = subject.need
  const against = untouchable(subject, rules) ?? deniedByRule(subject, rules)
  if (against !== undefined) return deny(against)
  if (access === 'leave-plan') return { outcome: 'ask', rule: narrowRule(subject) }
  const reads = access === 'none' || access === 'read'
  if (mode === 'plan' && !reads) return deny('in plan mode nothing is changed and no command runs')
  if (reads || runsUnasked(access, mode)) return { outcome: 'allow' }
  if (covered(rules.allow, subject)) return { outcome: 'allow' }
  return { outcome: 'ask', rule: narrowRule(subject) }
}

/** What no mode allows. */
function untouchable(subject: Subject, rules: Rules): string | undefined {
  const { need } = subject
  if ('path' in need && isSensitive(need.path) && !named(rules.allow, subject))
    return 'the file may hold secrets, and no rule names it'
  if (need.access !== 'edit') return undefined
  const inside = insidePath(subject.realRoot, need.path)
  if (inside === undefined) return 'it is outside the project'
  return inside.split(path.sep).includes('.git') ? 'it is in a .git folder' : undefined
}

function deniedByRule(subject: Subject, rules: Rules): string | undefined {
  const rule = touching(rules.deny, subject)
  return rule === undefined ? undefined : `the rule ${ruleText(rule)} denies it`
}

function runsUnasked(access: 'edit' | 'command', mode: Mode): boolean {
  return mode === 'accept-edits' || (mode === 'build' && access === 'command')
}

function deny(reason: string): Judgement {
  return { outcome: 'deny', reason }
}

/** A rule for the whole tool names no file. */
function named(rules: Rule[], subject: Subject): boolean {
  return covered(
    rules.filter((rule) => rule.pattern !== undefined),
    subject,
  )
}

/** The path relative to the root, or `undefined` when it is not inside. */
function insidePath(realRoot: string, real: string): string | undefined {
  const relative = path.relative(realRoot, real)
  const outside =
    relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
  return outside ? undefined : relative
}
