import { z } from 'zod'

import { defineTool } from './tool.ts'

export const presentPlanTool = defineTool({
  name: 'present_plan',
  kind: 'switch_mode',
  readOnly: false,
  onlyIn: 'plan',
  description:
    'Shows the user your finished plan and asks whether to carry it out. With a yes, plan mode ' +
    'ends and you can begin at once.',
  input: z.strictObject({ plan: z.string().min(1).describe('The plan, as Markdown.') }),
  plan: ({ plan }) => ({
    title: 'Leave plan mode',
    kind: 'switch_mode',
    locations: [],
    need: { access: 'leave-plan' },
    card: [{ type: 'text', text: plan }],
    prepare: async () => ({
      preview: [{ type: 'text', text: plan }],
      run: async () => ({
        text: 'The user approved the plan. Plan mode has ended: carry the plan out.',
        failed: false,
        leavesPlan: true,
        show: [{ type: 'text', text: plan }],
      }),
    }),
  }),
})
