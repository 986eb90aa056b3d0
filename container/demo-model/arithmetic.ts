/** Evaluates the arithmetic of a small function, so that a fix can be tried without running code. */

export type Token = { kind: 'number' | 'name' | 'operator'; text: string; at: number }
export type Scope = ReadonlyMap<string, number>

const OPERATORS: Record<string, { rank: number; apply: (a: number, b: number) => number }> = {
  '+': { rank: 1, apply: (a, b) => a + b },
  '-': { rank: 1, apply: (a, b) => a - b },
  '*': { rank: 2, apply: (a, b) => a * b },
  '/': { rank: 2, apply: (a, b) => a / b },
  '%': { rank: 2, apply: (a, b) => a % b },
}
export const OPERATOR_NAMES = Object.keys(OPERATORS)

/** The tokens of an expression with their offsets; `undefined` when it is more than arithmetic. */
export function tokensOf(expression: string): Token[] | undefined {
  const pattern = /\s*(?:(\d[\d_]*(?:\.\d+)?)|([A-Za-z_$][\w$]*)|([-+*/%()]))/y
  const tokens: Token[] = []
  while (expression.slice(pattern.lastIndex).trim() !== '') {
    const found = pattern.exec(expression)
    if (found === null) return undefined
    const [whole, number, name, operator] = found
    const text = number ?? name ?? operator ?? ''
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'operator'
    tokens.push({ kind, text, at: found.index + whole.length - text.length })
  }
  return tokens
}

/** The value, or `undefined` for an unknown name or a form that is not arithmetic. */
export function evaluate(expression: string, scope: Scope): number | undefined {
  const tokens = tokensOf(expression)
  if (tokens === undefined || tokens.length === 0) return undefined
  const state = { tokens, next: 0 }
  const value = sum(state, scope, 1)
  return state.next === tokens.length ? value : undefined
}

type State = { tokens: Token[]; next: number }

/** Precedence climbing: operators of at least this rank, from left to right. */
function sum(state: State, scope: Scope, rank: number): number | undefined {
  let left = operand(state, scope)
  while (left !== undefined) {
    const operator = OPERATORS[state.tokens[state.next]?.text ?? '']
    if (operator === undefined || operator.rank < rank) break
    state.next += 1
    const right = sum(state, scope, operator.rank + 1)
    left = right === undefined ? undefined : operator.apply(left, right)
  }
  return left
}

function operand(state: State, scope: Scope): number | undefined {
  const token = state.tokens[state.next]
  if (token === undefined) return undefined
  state.next += 1
  if (token.kind === 'number') return Number(token.text.replaceAll('_', ''))
  if (token.kind === 'name') return scope.get(token.text)
  if (token.text === '-') {
    const value = operand(state, scope)
    return value === undefined ? undefined : -value
  }
  if (token.text !== '(') return undefined
  const value = sum(state, scope, 1)
  const closing = state.tokens[state.next]?.text === ')'
  state.next += 1
  return closing ? value : undefined
}
