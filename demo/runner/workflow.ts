/** A workflow file as the runner takes it: checked by GitHub's own parser, and refused where it asks for more than runs here. */
import { registerHooks } from 'node:module'
import { parse } from 'yaml'
import { z } from 'zod'

const texts = z.record(z.string(), z.coerce.string())
const levels = z.enum(['none', 'read', 'write'])
const permissionsSchema = z.union([z.enum(['read-all', 'write-all']), z.record(z.string(), levels)])
const concurrencySchema = z.union([
  z.string().transform((group) => ({ group, 'cancel-in-progress': 'false' })),
  z.strictObject({ group: z.string(), 'cancel-in-progress': z.coerce.string().default('false') }),
])
const defaultsSchema = z.strictObject({
  run: z.strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() }),
})

const stepSchema = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.unknown().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  with: texts.default({}),
  env: texts.default({}),
  shell: z.string().optional(),
  'working-directory': z.string().optional(),
  'continue-on-error': z.coerce.string().default('false'),
  'timeout-minutes': z.coerce.string().optional(),
})

const jobSchema = z.strictObject({
  name: z.string().optional(),
  'runs-on': z.union([z.string().transform((label) => [label]), z.array(z.string())]),
  needs: z.union([z.string().transform((id) => [id]), z.array(z.string())]).default([]),
  if: z.unknown().optional(),
  permissions: permissionsSchema.optional(),
  concurrency: concurrencySchema.optional(),
  defaults: defaultsSchema.optional(),
  env: texts.default({}),
  outputs: texts.default({}),
  'timeout-minutes': z.coerce.string().optional(),
  'continue-on-error': z.coerce.string().default('false'),
  steps: z.array(stepSchema),
})

const workflowSchema = z.strictObject({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: z.unknown(),
  permissions: permissionsSchema.optional(),
  concurrency: concurrencySchema.optional(),
  defaults: defaultsSchema.optional(),
  env: texts.default({}),
  jobs: z.record(z.string(), jobSchema),
})

export type PermissionsGiven = z.infer<typeof permissionsSchema>
export type Concurrency = z.infer<typeof concurrencySchema>
export type Step = Omit<z.infer<typeof stepSchema>, 'if'> & { readonly if: string }
export type Job = Omit<z.infer<typeof jobSchema>, 'if' | 'steps'> & {
  readonly id: string
  /** An expression. */
  readonly if: string
  readonly steps: readonly Step[]
}

/** The filters of one event. */
export type Filters = Readonly<Record<string, readonly string[] | undefined>>

export interface Workflow extends Omit<z.infer<typeof workflowSchema>, 'name' | 'on' | 'jobs'> {
  readonly name: string
  readonly path: string
  readonly on: Readonly<Record<string, Filters>>
  readonly jobs: readonly Job[]
}

/** @returns the workflow, or what is wrong with the file */
export async function readWorkflow(path: string, text: string): Promise<Workflow | { readonly problems: string[] }> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await githubsParser()
  const { context, value } = parseWorkflow({ name: path, content: text }, new NoOperationTraceWriter())
  if (value === undefined) return { problems: context.errors.getErrors().map(({ message }) => message) }
  const template = await convertWorkflowTemplate(context, value)
  const problems = context.errors.getErrors().map(({ message }) => message)
  if (problems.length > 0) return { problems }
  const read = workflowSchema.safeParse(parse(text))
  if (!read.success) {
    return { problems: read.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`) }
  }
  const jobs = Object.entries(read.data.jobs).map(([id, job]): Job => {
    const checked = template.jobs.find((known) => known.id.value === id)
    const steps = checked?.type === 'job' ? checked.steps : []
    const conditionOf = (index: number) => steps[index]?.if?.expression ?? 'success()'
    return {
      ...job,
      id,
      if: checked?.if.expression ?? 'success()',
      steps: job.steps.map((step, index) => ({ ...step, if: conditionOf(index) })),
    }
  })
  return { ...read.data, name: read.data.name ?? path, path, on: template.events as Workflow['on'], jobs }
}

/** Its module asks for a JSON file without saying so, which only bundlers take. */
function githubsParser(): Promise<typeof import('@actions/workflow-parser')> {
  const hook = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('-v1.0.min.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  })
  return import('@actions/workflow-parser').finally(() => hook.deregister())
}
