/** The JSON schema of the policy files, for editors and for the documentation. */
import { z } from 'zod'

import { AdminPolicy, ProjectPolicy, UserConfig } from './schema.ts'

/** The text of schema/policy.schema.json: the user's file, and the other two as definitions. */
export function policyJsonSchema(): string {
  const { $schema, ...user } = z.toJSONSchema(UserConfig, { io: 'input' })
  const schema = {
    $schema,
    title: 'Glovebox configuration, version 1',
    description:
      'The user file carries every key. The administrator file (#/$defs/admin) and the project ' +
      'file (#/$defs/project) carry fewer and only take away.',
    ...user,
    $defs: { admin: definition(AdminPolicy), project: definition(ProjectPolicy) },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function definition(layer: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(layer, { io: 'input' })
  return rest
}
