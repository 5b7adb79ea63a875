import { z } from 'zod'
import { TRACE_TYPES } from '../../intake/measurement/trace-type.ts'
import { ENTRY_KINDS, ENTRY_STATES } from '../../judge/ledger/entry.ts'
import { reportSchema, resultSchema, rowSchema } from '../../report/render/report-schema.ts'
import {
  COMPARE_ROUTE,
  DIGEST_PATH,
  ENTRY_ROUTE,
  FAILING_TESTS_ROUTE,
  FLAME_GRAPH_ROUTE,
  LEDGER_ROUTE,
  QUALITY_PATH,
  QUERY_ROUTE,
  QUEUE_PATH,
  RECORD_PATH,
  REPORT_OF_HEAD_ROUTE,
  REPORT_ROUTE,
  REPOSITORY_ROUTE,
  ROW_ROUTE,
  SEARCH_ROUTE,
} from '../../report/urls.ts'
import { ENTRY_SORTS } from '../../store/ledger/found-entries.ts'

/** The pages as other programs read them: OpenAPI of their JSON. `node src/web/pages/openapi.ts` prints it. */

interface Described {
  readonly summary: string
  /** Parameters of the query part beside `format`. */
  readonly query?: z.ZodRawShape
  /** Fields of the JSON beside `schemaVersion`; absent: those of another format. */
  readonly json?: z.ZodType
}

const text = z.string()
const count = z.int().nonnegative()
const list = z.array(z.looseObject({}))
const days = z.int().min(1).optional()
const repository = text.optional().describe('owner/name; absent: all that you can see.')
const architecture = text.optional()
const json = (fields: z.ZodRawShape) => z.looseObject({ schemaVersion: z.literal(1), ...fields })
const order = z.literal('reverse').optional()
const report = { summary: 'The report of a pull request, unrounded', json: reportSchema }

const PAGES: Readonly<Record<string, Described>> = {
  [QUEUE_PATH]: {
    summary: 'What waits for a person',
    query: { days, repository },
    json: json({ days: count, items: list, marked: list, notShown: count }),
  },
  [DIGEST_PATH]: {
    summary: 'What is new in the queue',
    query: { period: z.enum(['day', 'week']).optional(), repository },
    json: json({ period: text, items: list }),
  },
  [RECORD_PATH]: { summary: 'How often the bot was right', query: { days, repository }, json: json({ days: count }) },
  [QUALITY_PATH]: {
    summary: 'Queries that can’t show a change',
    query: { days, repository },
    json: json({ days: count }),
  },
  [REPOSITORY_ROUTE]: {
    summary: 'The recent runs of a repository',
    query: { before: text.optional() },
    json: json({ runs: list }),
  },
  [SEARCH_ROUTE]: {
    summary: 'Queries and tests by a part of their names',
    query: { q: text.optional() },
    json: json({}),
  },
  [COMPARE_ROUTE]: { summary: 'Two measured commits', json: json({ old: text, new: text, metric: text }) },
  [REPORT_ROUTE]: { ...report, summary: `${report.summary}: the newest` },
  [REPORT_OF_HEAD_ROUTE]: { ...report, summary: `${report.summary}: of one head` },
  [FAILING_TESTS_ROUTE]: {
    summary: 'The failing tests of that report',
    json: json({ repository: text, pullRequest: count, head: text, judgedAt: text, failures: list }),
  },
  [ROW_ROUTE]: {
    summary: 'One row with its samples and metrics',
    query: { architecture },
    json: json({ repository: text, pullRequest: count, head: text, row: z.looseObject({}), measured: list }),
  },
  [FLAME_GRAPH_ROUTE]: {
    summary: 'The two profiles of a row, for speedscope',
    query: { architecture, trace: z.enum(TRACE_TYPES).optional() },
  },
  [QUERY_ROUTE]: {
    summary: 'The history of a query on the main branch',
    query: { architecture, metric: text.optional(), days, ordinal: count.optional() },
    json: json({ repository: text, query: z.looseObject({ test: text }), metric: text, days: count }),
  },
  [LEDGER_ROUTE]: {
    summary: 'Known failures and queries that move by themselves',
    query: {
      q: text.optional(),
      kind: z.enum(ENTRY_KINDS).optional(),
      state: z.enum(ENTRY_STATES).optional(),
      owner: text.optional(),
      sort: z.enum(ENTRY_SORTS).optional(),
      order,
    },
    json: json({ repository: text, found: count, entries: list }),
  },
  [ENTRY_ROUTE]: {
    summary: 'One of them with its timeline',
    json: json({ repository: text, entry: z.looseObject({}), timeline: z.looseObject({}) }),
  },
}

/** The parameters that are parts of a path. */
const IN_PATH: Readonly<Record<string, z.ZodType>> = {
  owner: text,
  repo: text,
  number: z.int().min(1),
  head: text.describe('Full commit id.'),
  row: text.describe('The id of a row, such as qf7e, or its anchor.'),
  query: text,
  entry: text,
  commits: text.describe('OLD...NEW'),
}

export function openApi() {
  const paths = Object.entries(PAGES).map(([route, page]) => [route.replaceAll(/:(\w+)/g, '{$1}'), pathOf(route, page)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'perf-triage',
      // Of what is described, which changes with `schemaVersion`; that of the program is on each page.
      version: '1',
      description:
        'The JSON of the pages. Each also has format=tsv. Pages of private repositories need a signed-in visitor.',
    },
    paths: Object.fromEntries(paths) as Record<string, unknown>,
    components: { schemas: sharedSchemas() },
  }
}

function pathOf(route: string, { summary, query = {}, json: answer }: Described) {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => parameter('path', name!, IN_PATH[name!]!))
  const format = z.literal('json').describe('Or the header Accept: application/json.')
  const inQuery = Object.entries({ ...query, format }).map(([name, type]) => parameter('query', name, type))
  const schema =
    answer === reportSchema ? { $ref: '#/components/schemas/Report' } : schemaOf(answer ?? z.looseObject({}))
  return {
    get: {
      summary,
      parameters: [...inPath, ...inQuery],
      responses: {
        200: { description: summary, content: { 'application/json': { schema } } },
        404: { description: 'There is none, or it may not be seen.' },
      },
    },
  }
}

function parameter(place: 'path' | 'query', name: string, type: z.core.$ZodType) {
  return { name, in: place, required: place === 'path', schema: schemaOf(type) }
}

/** The report in parts, which refer to one another. */
function sharedSchemas() {
  const named = z.registry<{ readonly id: string }>()
  named.add(reportSchema, { id: 'Report' }).add(rowSchema, { id: 'Row' }).add(resultSchema, { id: 'Result' })
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => {
      const { $schema: _, $id: _id, ...rest } = schema
      return [id, rest]
    }),
  )
}

function schemaOf(type: z.core.$ZodType) {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' })
  return schema
}

if (import.meta.main) console.log(JSON.stringify(openApi(), null, 2))
