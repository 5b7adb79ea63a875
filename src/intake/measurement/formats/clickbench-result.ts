import { z } from 'zod'
import { Draft } from '../draft.ts'
import { type Contribution, MemberError, NOTHING, type ReaderContext } from './format.ts'
import { goodEntries } from './json-document.ts'

/** Reads what `clickbench.ts` recognises, and is loaded only where there is such a file. */

const MOST_QUERIES = 1000
const MOST_TIMES = 100

/** Tags of results whose first time had warm caches, and what they say. */
const NOT_COLD = ['no-cold', 'lukewarm-cold-run']

const time = z.number().nonnegative()
const figure = z.number().nonnegative().nullish()

const query = z.array(time.nullable()).min(1).max(MOST_TIMES)

const schema = z.object({
  system: z.string().min(1).max(200),
  machine: z.string().min(1).max(200),
  cluster_size: z.union([z.string().max(50), z.number()]).nullish(),
  tags: z.array(z.string().max(200)).max(100).nullish(),
  load_time: figure,
  data_size: figure,
  result: z.array(z.unknown()).min(1).max(MOST_QUERIES),
})

export function clickbenchResult(text: string, test: string, context: ReaderContext): Contribution {
  const { data, error } = schema.safeParse(parseJson(text))
  if (data === undefined) {
    const { path, message } = error.issues[0]!
    throw new MemberError(`this is not a result of ClickBench: ${path.join('.') || 'the document'}: ${message}`)
  }
  const side = (context.side ?? context.sideOfName)!
  const drafts: Draft[] = []
  const add = (queryIndex: number | null, metric: string, unit: string, values: readonly (number | null)[]) => {
    const draft = new Draft({ test, queryIndex, queryName: null, metric, architecture: null }, unit, false)
    context.budget.measurement()
    for (const value of values) {
      context.budget.sample()
      if (value === null) draft.problem('run-error', side, 'the query failed', context.budget)
      else draft[side].add(value, null)
    }
    drafts.push(draft)
  }
  const notCold = NOT_COLD.find((tag) => data.tags?.includes(tag))
  if (notCold !== undefined) {
    context.warn('invalid-value', null, `the tag ${notCold} says that the first times are not cold: skipped`)
  }
  const what = 'result of ClickBench'
  for (const [index, [cold, ...hot]] of goodEntries(data.result, query, { at: 'result', what, warn: context.warn })) {
    if (notCold === undefined) add(Number(index), 'cold', 's', [cold!])
    add(Number(index), 'hot', 's', hot)
  }
  // a figure of 0 is one that nobody measured
  if (data.load_time) add(null, 'load_time', 's', [data.load_time])
  if (data.data_size) add(null, 'data_size', 'bytes', [data.data_size])
  const label = {
    side,
    kind: 'machine',
    text: context.budget.keep(machineOf(data)),
    system: context.budget.keep(data.system),
  } as const
  return { ...NOTHING, drafts, label }
}

/** `c6a.4xlarge, 500gb gp2`; of a cluster with the number of its machines, which a serverless one does not have. */
function machineOf({ machine, cluster_size: size }: z.infer<typeof schema>): string {
  const machines = Number(size ?? 1)
  return Number.isInteger(machines) && machines > 1 ? `${machines} × ${machine}` : machine
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new MemberError('this is not JSON: it was cut off, or is something else')
  }
}
