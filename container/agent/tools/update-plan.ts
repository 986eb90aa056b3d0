import { z } from 'zod'

import { defineTool } from './tool.ts'

const Entry = z.strictObject({
  content: z.string().min(1).max(500),
  status: z.enum(['pending', 'in_progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']).optional(),
})

export const updatePlanTool = defineTool({
  name: 'update_plan',
  kind: 'think',
  readOnly: false,
  description:
    'Shows the user the plan for a task of several steps. Give the whole list each time; ' +
    'keep one entry in progress.',
  input: z.strictObject({ entries: z.array(Entry).max(50) }),
  plan: (input) => ({
    title: 'Update the plan',
    kind: 'think',
    locations: [],
    need: { access: 'none' },
    prepare: async () => ({
      preview: [],
      run: async () => ({
        text: 'The plan is shown.',
        failed: false,
        plan: input.entries.map(({ content, status, priority = 'medium' }) => ({
          content,
          status,
          priority,
        })),
      }),
    }),
  }),
})
