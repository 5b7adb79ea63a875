/**
 * Cuts the part of GitHub's OpenAPI description that the local GitHub serves and checks, out of two npm packages which
 * are too large to install with the project (29 MB packed). To regenerate:
 *
 *     folder=$(mktemp -d)
 *     npm install --prefix "$folder" @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0
 *     node demo/openapi/subset.ts "$folder/node_modules"
 *
 * Kept: the operations and events listed below, with the schemas that they reach; `$ref`s stay `$ref`s. Dropped:
 * descriptions, examples and everything else that no validator reads. OpenAPI 3.0's `nullable` becomes a type of JSON
 * Schema, and equal large inline schemas (a webhook repeats the whole pull request for each action) are shared.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const operations: readonly string[] = [
  'apps/get-authenticated',
  'apps/list-installations',
  'apps/get-installation',
  'apps/get-repo-installation',
  'apps/create-installation-access-token',
  'apps/create-from-manifest',
  'apps/list-repos-accessible-to-installation',
  'apps/get-webhook-config-for-app',
  'apps/list-webhook-deliveries',
  'apps/get-webhook-delivery',
  'apps/redeliver-webhook-delivery',
  'rate-limit/get',
  'users/get-authenticated',
  'repos/get',
  'repos/get-branch',
  'repos/get-commit',
  'repos/list-commits',
  'repos/compare-commits-with-basehead',
  'repos/list-pull-requests-associated-with-commit',
  'repos/get-content',
  'repos/create-or-update-file-contents',
  'repos/get-collaborator-permission-level',
  'repos/get-combined-status-for-ref',
  'repos/list-commit-statuses-for-ref',
  'repos/create-commit-status',
  'issues/get',
  'issues/list-for-repo',
  'issues/list-comments',
  'issues/get-comment',
  'issues/create-comment',
  'issues/update-comment',
  'issues/delete-comment',
  'issues/list-labels-on-issue',
  'issues/add-labels',
  'issues/remove-label',
  'issues/list-labels-for-repo',
  'issues/get-label',
  'issues/create-label',
  'issues/list-events',
  'issues/list-events-for-timeline',
  'reactions/create-for-issue-comment',
  'reactions/list-for-issue-comment',
  'checks/create',
  'checks/update',
  'checks/get',
  'checks/list-for-ref',
  'checks/list-for-suite',
  'checks/list-annotations',
  'checks/list-suites-for-ref',
  'checks/get-suite',
  'pulls/get',
  'pulls/list',
  'pulls/merge',
  'pulls/update',
  'pulls/list-files',
  'pulls/list-commits',
  'git/get-ref',
  'git/list-matching-refs',
  'git/create-ref',
  'git/update-ref',
  'git/delete-ref',
  'git/get-commit',
  'git/create-commit',
  'git/get-tree',
  'git/create-tree',
  'git/get-blob',
  'git/create-blob',
  'actions/list-workflow-runs-for-repo',
  'actions/get-workflow-run',
  'actions/list-jobs-for-workflow-run',
  'actions/download-job-logs-for-workflow-run',
  'actions/list-workflow-run-artifacts',
  'actions/list-artifacts-for-repo',
  'actions/get-artifact',
  'actions/download-artifact',
  'actions/re-run-workflow',
  'actions/re-run-workflow-failed-jobs',
  'actions/re-run-job-for-workflow-run',
]

const events: readonly string[] = [
  'ping',
  'installation-created',
  'installation-deleted',
  'installation-suspend',
  'installation-unsuspend',
  'installation-repositories-added',
  'installation-repositories-removed',
  'repository-renamed',
  'repository-privatized',
  'repository-publicized',
  'repository-transferred',
  'repository-deleted',
  'push',
  'status',
  'issue-comment-created',
  'issue-comment-edited',
  'issue-comment-deleted',
  'pull-request-opened',
  'pull-request-synchronize',
  'pull-request-closed',
  'pull-request-reopened',
  'pull-request-labeled',
  'pull-request-unlabeled',
  'check-run-created',
  'check-run-completed',
  'check-run-rerequested',
  'check-run-requested-action',
  'check-suite-requested',
  'check-suite-completed',
  'check-suite-rerequested',
  'workflow-run-requested',
  'workflow-run-in-progress',
  'workflow-run-completed',
]

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const methods = ['get', 'put', 'post', 'patch', 'delete']
/** What `ajv-formats` knows; GitHub's own (`repo.nwo`, `timestamp`) can't be checked. */
const formats = new Set(['date-time', 'date', 'uri', 'email', 'uuid', 'int32', 'int64', 'double', 'float'])
const dropped = new Set([
  'description',
  'example',
  'examples',
  'title',
  'deprecated',
  'externalDocs',
  'summary',
  'default',
  'readOnly',
  'discriminator',
])

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An OpenAPI 3.0 or 3.1 schema as JSON Schema without words. */
function plainSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (!isObject(schema)) return schema
  const plain: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || key === 'nullable' || key.startsWith('x-')) continue
    if (key === 'format' && (typeof value !== 'string' || !formats.has(value))) continue
    if (key === 'properties' && isObject(value)) {
      // Names of properties are not keywords: a property may well be called `description`.
      plain[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, plainSchema(property)]))
    } else if (key === 'enum' || key === 'required' || key === 'const') {
      plain[key] = value
    } else {
      plain[key] = plainSchema(value)
    }
  }
  return schema['nullable'] === true ? orNull(plain) : plain
}

function orNull(schema: JsonObject): JsonObject {
  if (typeof schema['type'] !== 'string') return { anyOf: [{ type: 'null' }, schema] }
  const choices = schema['enum']
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(choices) && !choices.includes(null) ? { enum: [...choices, null] } : {}),
  }
}

function resolve(document: JsonObject, value: Json): JsonObject {
  if (!isObject(value)) throw new Error(`not an object: ${JSON.stringify(value)}`)
  const reference = value['$ref']
  if (typeof reference !== 'string') return value
  let found: Json | undefined = document
  for (const part of reference.slice(2).split('/'))
    found = isObject(found) ? found[part.replaceAll('~1', '/')] : undefined
  if (found === undefined) throw new Error(`dangling ${reference}`)
  return resolve(document, found)
}

/** Copies every schema reached from `roots` into `schemas`. */
function collect(document: JsonObject, roots: Json, schemas: JsonObject): void {
  const all = resolve(document, { $ref: '#/components/schemas' })
  const pending: Json[] = [roots]
  while (pending.length > 0) {
    const value = pending.pop()
    if (Array.isArray(value)) {
      pending.push(...value)
    } else if (isObject(value)) {
      const reference = value['$ref']
      if (typeof reference === 'string') {
        const name = reference.slice('#/components/schemas/'.length)
        if (schemas[name] === undefined) {
          schemas[name] = plainSchema(all[name] ?? null)
          pending.push(schemas[name])
        }
      }
      pending.push(...Object.values(value))
    }
  }
}

/** Moves equal inline schemas of more than `least` characters to `components.schemas`. */
function share(document: JsonObject, schemas: JsonObject, least: number): void {
  const counts = new Map<string, number>()
  const count = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(count)
    else if (isObject(value)) {
      if (isSchema(value)) {
        const text = JSON.stringify(value)
        if (text.length >= least) counts.set(text, (counts.get(text) ?? 0) + 1)
      }
      Object.values(value).forEach(count)
    }
  }
  count(document)
  const names = new Map<string, string>()
  const replace = (value: Json, top: boolean): Json => {
    if (Array.isArray(value)) return value.map((item) => replace(item, false))
    if (!isObject(value)) return value
    const text = isSchema(value) ? JSON.stringify(value) : ''
    const shared = !top && (counts.get(text) ?? 0) > 1
    if (shared && names.has(text)) return { $ref: `#/components/schemas/${names.get(text)}` }
    const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, false)]))
    if (!shared) return copy
    const name = `shared-${names.size + 1}`
    names.set(text, name)
    schemas[name] = copy
    return { $ref: `#/components/schemas/${name}` }
  }
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = replace(schema, true)
}

function isSchema(value: JsonObject): boolean {
  return typeof value['type'] === 'string' || Array.isArray(value['type']) || Array.isArray(value['anyOf'])
}

function jsonSchemaOf(document: JsonObject, content: Json | undefined): Json | null {
  if (!isObject(content)) return null
  const json = content['application/json'] ?? content['application/vnd.github.object']
  return json === undefined ? null : plainSchema(resolve(document, json)['schema'] ?? null)
}

function restSubset(document: JsonObject): JsonObject {
  const paths: JsonObject = {}
  const found = new Set<string>()
  for (const [path, item] of Object.entries(resolve(document, { $ref: '#/paths' }))) {
    for (const method of methods) {
      const operation = isObject(item) ? item[method] : undefined
      if (!isObject(operation)) continue
      const id = operation['operationId']
      if (typeof id !== 'string' || !operations.includes(id)) continue
      found.add(id)
      const parameters = (Array.isArray(operation['parameters']) ? operation['parameters'] : []).map((parameter) => {
        const { name, in: where, required, schema } = resolve(document, parameter)
        return { name: name ?? null, in: where ?? null, required: required === true, schema: plainSchema(schema ?? {}) }
      })
      const body =
        operation['requestBody'] === undefined ? null : resolve(document, operation['requestBody'])['content']
      const responses: JsonObject = {}
      for (const [status, response] of Object.entries(resolve(document, operation['responses'] ?? {}))) {
        if (!/^[23]/.test(status)) continue
        const schema = jsonSchemaOf(document, resolve(document, response)['content'])
        responses[status] = schema === null ? {} : { content: { 'application/json': { schema } } }
      }
      const bodySchema = body === null ? null : jsonSchemaOf(document, body)
      const known = paths[path]
      paths[path] = {
        ...(isObject(known) ? known : {}),
        [method]: {
          operationId: id,
          parameters,
          ...(bodySchema === null ? {} : { requestBody: { content: { 'application/json': { schema: bodySchema } } } }),
          responses,
        },
      }
    }
  }
  const missing = operations.filter((id) => !found.has(id))
  if (missing.length > 0) throw new Error(`not in the description: ${missing.join(', ')}`)
  correct(paths)
  const schemas: JsonObject = {}
  collect(document, paths, schemas)
  return { openapi: '3.1.0', info: info('GitHub REST API, subset', '23.0.2'), paths, components: { schemas } }
}

/**
 * One mistake of the description: the list of installations has its own inline schema, which asks that an account be a
 * user and an enterprise at the same time. The single installation has it right, and the items are the same.
 */
function correct(paths: JsonObject): void {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/installation' } }
  const list = resolve({ paths }, { $ref: '#/paths/~1app~1installations/get' })
  list['responses'] = { 200: { content: { 'application/json': { schema } } } }
}

function webhookSubset(document: JsonObject): JsonObject {
  const all = resolve(document, { $ref: '#/webhooks' })
  const webhooks: JsonObject = {}
  for (const event of events) {
    const webhook = all[event]
    if (webhook === undefined) throw new Error(`not in the description: ${event}`)
    const body = resolve(document, resolve(document, resolve(document, webhook)['post'] ?? {})['requestBody'] ?? {})
    webhooks[event] = {
      post: { requestBody: { content: { 'application/json': { schema: jsonSchemaOf(document, body['content']) } } } },
    }
  }
  const schemas: JsonObject = {}
  collect(document, webhooks, schemas)
  const subset = {
    openapi: '3.1.0',
    info: info('GitHub webhooks, subset', '12.1.0'),
    webhooks,
    components: { schemas },
  }
  share(subset, schemas, 120)
  return subset
}

function info(title: string, version: string): JsonObject {
  return { title, version, license: { name: 'MIT' } }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((key) => [key, sorted(value[key] ?? null)]),
  )
}

function read(...path: string[]): JsonObject {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as JsonObject
}

const folder = parseArgs({ allowPositionals: true }).positionals[0]
if (folder === undefined) throw new Error('usage: node demo/openapi/subset.ts <node_modules with the two packages>')
const generated = { rest: '@octokit/openapi/generated', webhooks: '@octokit/openapi-webhooks/generated' }
const subsets = {
  'rest.json': restSubset(read(folder, generated.rest, 'api.github.com.json')),
  'webhooks.json': webhookSubset(read(folder, generated.webhooks, 'api.github.com.json')),
}
for (const [name, subset] of Object.entries(subsets)) {
  const text = `${JSON.stringify(name === 'rest.json' ? sorted(subset) : subset)}\n`
  writeFileSync(new URL(name, import.meta.url), text)
  console.log(`${name}: ${text.length} bytes`)
}
