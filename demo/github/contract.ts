/**
 * GitHub's own description of its API as executable checks: each operation's query, request body and response, and
 * each webhook's body, against the committed subset in `demo/openapi`.
 */
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: { readonly type?: string | string[]; readonly [key: string]: unknown }
}

interface OperationDescription {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>
  readonly webhooks: Readonly<Record<string, unknown>>
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
}

export type QueryValues = Readonly<Record<string, string | number | boolean>>

const rest = load('rest.json')
const webhooks = load('webhooks.json')
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  logger: false,
  // Each schema is compiled once and not optimised: starting is what costs here, not checking.
  inlineRefs: false,
  code: { optimize: false },
})
ajvFormats.default(ajv)
// The brackets of `github-actions[bot]` stand in its address, which no stricter format takes.
ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/)
ajv.addSchema(rest, 'rest')
ajv.addSchema(webhooks, 'webhooks')

const described = new Map<string, Operation & { readonly description: OperationDescription }>()
for (const [path, methods] of Object.entries(rest.paths)) {
  for (const [method, description] of Object.entries(methods)) {
    const id = description.operationId
    described.set(id, { id, method: method.toUpperCase(), path, description })
  }
}

export function operation(id: string): Operation {
  return known(id)
}

/** Values of the query in their types, and what GitHub's description doesn't know or allow. */
export function checkQuery(id: string, query: URLSearchParams): { values: QueryValues; problems: string[] } {
  const { description } = known(id)
  const values: Record<string, string | number | boolean> = {}
  const problems: string[] = []
  for (const [name, text] of query) {
    const parameter = description.parameters.find((item) => item.in === 'query' && item.name === name)
    if (parameter === undefined) {
      problems.push(`query ${name}: no such parameter of ${id}`)
      continue
    }
    const value = typedValue(parameter, text)
    values[name] = value
    const check = ajv.compile(parameter.schema)
    if (!check(value)) problems.push(`query ${name}=${text}: ${messages(check.errors).join(', ')}`)
  }
  return { values, problems }
}

/**
 * `refused`: what GitHub answers with 422. `problems`: what GitHub would silently ignore, and therefore a mistake of
 * the caller that nobody would notice.
 */
export function checkBody(id: string, body: unknown): { refused: string[]; problems: string[] } {
  const { description, method, path } = known(id)
  if (description.requestBody === undefined) {
    const empty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)
    return { refused: [], problems: empty ? [] : [`${id} takes no body`] }
  }
  const pointer = `rest#/paths/${pointerPart(path)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`
  const check = compiled(pointer)
  const refused = check(body ?? {}) ? [] : messages(check.errors)
  const schema = ajv.getSchema(pointer)?.schema as { properties?: Record<string, unknown> } | undefined
  const properties = schema?.properties
  const unknown =
    properties === undefined || typeof body !== 'object' || body === null || Array.isArray(body)
      ? []
      : Object.keys(body).filter((name) => !(name in properties))
  return { refused, problems: unknown.map((name) => `body ${name}: no such property of ${id}`) }
}

/** What the answer has that GitHub's wouldn't have, or lacks. */
export function checkResponse(id: string, status: number, body: unknown): string[] {
  const { description, method, path } = known(id)
  const response = description.responses[status]
  if (response === undefined) return [`status ${status} is not described for ${id}`]
  if (response.content === undefined) return body === undefined ? [] : [`${id} ${status} has no body`]
  const check = compiled(
    `rest#/paths/${pointerPart(path)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`,
  )
  return check(body) ? [] : messages(check.errors)
}

export function checkWebhook(event: string, action: string | null, body: unknown): string[] {
  const name = (action === null ? event : `${event}-${action}`).replaceAll('_', '-')
  if (webhooks.webhooks[name] === undefined) return [`no such webhook: ${name}`]
  const check = compiled(`webhooks#/webhooks/${name}/post/requestBody/content/application~1json/schema`)
  return check(body) ? [] : messages(check.errors)
}

const validators = new Map<string, ValidateFunction>()

function compiled(reference: string): ValidateFunction {
  let check = validators.get(reference)
  if (check === undefined) {
    check = ajv.compile({ $ref: reference })
    validators.set(reference, check)
  }
  return check
}

function known(id: string): Operation & { readonly description: OperationDescription } {
  const found = described.get(id)
  if (found === undefined) throw new Error(`${id} is not in demo/openapi/rest.json`)
  return found
}

function typedValue(parameter: Parameter, text: string): string | number | boolean {
  const type = parameter.schema.type
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function messages(errors: readonly ErrorObject[] | null | undefined): string[] {
  return (errors ?? []).slice(0, 8).map((error) => {
    const detail = Object.values(error.params).flat().join(' ')
    return `${error.instancePath || '/'} ${error.message ?? ''} (${detail})`
  })
}

function pointerPart(path: string): string {
  return encodeURI(path.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function load(name: string): Description {
  return JSON.parse(readFileSync(new URL(`../openapi/${name}`, import.meta.url), 'utf8')) as Description
}
