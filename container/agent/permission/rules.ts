/** Rules in one syntax: `tool` or `tool(pattern)`; globs for paths, `*` in commands. */
import path from 'node:path'

import { commandParts } from './command-parts.ts'
import type { Need } from './need.ts'

export type Rule = {
  /** May end in `*`, for all tools of an MCP server. */
  tool: string
  /** Everything the tool does when absent. */
  pattern?: string
  /** The pattern is the very text: a rule a user's answer made. */
  exact?: boolean
}

export type Subject = { tool: string; need: Need; realRoot: string }

export function ruleText(rule: Rule): string {
  return rule.pattern === undefined ? rule.tool : `${rule.tool}(${rule.pattern})`
}

/** Whether the allow rules together cover the whole subject: every part of a command line. */
export function covered(rules: Rule[], subject: Subject): boolean {
  const forTool = rules.filter((rule) => toolMatches(rule, subject.tool))
  if (forTool.some((rule) => rule.pattern === undefined)) return true
  const text = textOf(subject)
  if (text === undefined) return false
  if (subject.need.access !== 'command')
    return forTool.some((rule) => patternMatches(rule, text, true))
  if (forTool.some((rule) => rule.exact === true && rule.pattern === text)) return true
  const { parts, certain } = commandParts(text)
  if (!certain || parts.length === 0) return false
  return parts.every((part) => forTool.some((rule) => patternMatches(rule, part, false)))
}

/** The first deny rule that meets the subject or any part of it. */
export function touching(rules: Rule[], subject: Subject): Rule | undefined {
  const text = textOf(subject)
  const isCommand = subject.need.access === 'command'
  const texts = isCommand && text !== undefined ? [text, ...commandParts(text).parts] : [text]
  return rules.find(
    (rule) =>
      toolMatches(rule, subject.tool) &&
      (rule.pattern === undefined ||
        texts.some((part) => part !== undefined && patternMatches(rule, part, !isCommand))),
  )
}

/** The narrowest rule that covers just this subject: what "for this session" remembers. */
export function narrowRule(subject: Subject): Rule {
  const pattern = textOf(subject)
  if (pattern === undefined) return { tool: subject.tool }
  return { tool: subject.tool, pattern, exact: true }
}

/** What a pattern is compared with: the path inside the project, or the command line. */
function textOf(subject: Subject): string | undefined {
  const { need, realRoot } = subject
  if (need.access === 'command') return need.command.trim()
  if (!('path' in need)) return undefined
  const relative = path.relative(realRoot, need.path)
  return relative.startsWith('..') ? need.path : relative
}

function toolMatches(rule: Rule, tool: string): boolean {
  return rule.tool.endsWith('*') ? tool.startsWith(rule.tool.slice(0, -1)) : rule.tool === tool
}

function patternMatches(rule: Rule, text: string, isPath: boolean): boolean {
  const { pattern = '' } = rule
  if (rule.exact === true) return pattern === text
  return isPath ? pathGlob(pattern).test(text) : commandGlob(pattern).test(text)
}

/** `*` and `?` stay within a folder, `**` does not. */
function pathGlob(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/?|\*|\?|[^*?]+/g, (piece) => {
    if (piece === '**/') return '(?:.*/)?'
    if (piece === '**') return '.*'
    if (piece === '*') return '[^/]*'
    return piece === '?' ? '[^/]' : RegExp.escape(piece)
  })
  return new RegExp(`^${source}$`, 's')
}

function commandGlob(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((piece) => RegExp.escape(piece))
      .join('.*')}$`,
    's',
  )
}
