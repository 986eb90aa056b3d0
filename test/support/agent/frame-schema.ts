/** Checks the agent's frames against the JSON schema that the SDK exports. */
import { createRequire } from 'node:module'

import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'

const require = createRequire(import.meta.url)
type Schema = { $defs: Record<string, { 'x-method'?: string }> }
const schema: Schema = require('@agentclientprotocol/sdk/schema/v1/schema.json')

// The schema carries keywords for code generators and formats for numbers: neither is validation.
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(schema, 'acp')
const compiled = new Map<string, ValidateFunction>()

export type Frame = {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: unknown
  result?: unknown
  error?: unknown
}

/**
 * What is wrong with a frame the agent sent, or `undefined`.
 * @param methodOf names the method of the request a response answers.
 */
export function faultOf(
  frame: Frame,
  methodOf: (id: Frame['id']) => string | undefined,
): string | undefined {
  if (frame.jsonrpc !== '2.0') return 'jsonrpc is not "2.0"'
  if (frame.method !== undefined) {
    if (frame.method === '$/cancel_request')
      return against('CancelRequestNotification', frame.params)
    const kind = frame.id === undefined ? 'Notification' : 'Request'
    return against(definitionOf(frame.method, kind), frame.params)
  }
  if (frame.error !== undefined) return against('Error', frame.error)
  const method = methodOf(frame.id)
  if (method === undefined) return `a response to nothing: ${JSON.stringify(frame.id)}`
  return against(definitionOf(method, 'Response'), frame.result)
}

function definitionOf(method: string, kind: string): string | undefined {
  return Object.keys(schema.$defs).find(
    (name) => name.endsWith(kind) && schema.$defs[name]?.['x-method'] === method,
  )
}

function against(definition: string | undefined, value: unknown): string | undefined {
  if (definition === undefined) return 'the schema knows no such method'
  let validate = compiled.get(definition)
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `acp#/$defs/${definition}` })
    compiled.set(definition, validate)
  }
  return validate(value) ? undefined : `${definition}: ${ajv.errorsText(validate.errors)}`
}
