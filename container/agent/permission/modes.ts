/** The modes of a session: what runs without a question. */

export type Mode = 'ask' | 'plan' | 'build' | 'accept-edits'

export const DEFAULT_MODE: Mode = 'ask'

export const MODES: { id: Mode; name: string; description: string }[] = [
  { id: 'ask', name: 'Ask', description: 'Edits and commands ask first.' },
  { id: 'plan', name: 'Plan', description: 'Reads and plans. No edits, no commands.' },
  {
    id: 'build',
    name: 'Build',
    description: 'Commands run in the box without a question; edits ask first.',
  },
  {
    id: 'accept-edits',
    name: 'Accept edits',
    description: 'Edits in the project and commands in the box run without a question.',
  },
]

export function modeNamed(id: string): Mode | undefined {
  return MODES.find((mode) => mode.id === id)?.id
}
