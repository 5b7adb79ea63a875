import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { Benchmarks, type Summary } from './benchmarks.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'
import { decimal, goodEntries, messageOf, parseDocument } from './json-document.ts'

/** Times are milliseconds, in the table nanoseconds. */
const MILLI = -3
const NANO = -9

const text = z.string().max(10_000)
const figure = decimal.nullish()
const statistics = z.object({
  samples: z.array(decimal).max(2_000_000).nullish(),
  samplesCount: z.number().nullish(),
  mean: figure,
  p50: figure,
  rme: figure,
})
/** Version 3 has what is above of the latency and of the throughput, before it is that of the latency. */
const result = statistics.extend({ latency: statistics.nullish(), error: z.unknown().optional() })
const cell = z.union([decimal, text]).nullish()
const task = result.extend({
  name: text.optional(),
  result: result.nullish(),
  'Task name': text.optional(),
  'Task Name': text.optional(),
  'Latency med (ns)': cell,
  'Latency median (ns)': cell,
  'Average Time (ns)': cell,
  Samples: z.number().nullish(),
  Error: text.optional(),
})
type Task = z.infer<typeof task>
const tasks = z.array(z.unknown()).max(50_000)
const schema = z.union([tasks, z.object({ name: text.nullish(), tasks })], { error: 'no list of tasks' })

export function tinybenchOutput(document: string, context: ReaderContext): Contribution {
  const what = 'result of tinybench'
  const data = parseDocument(document, schema, what, { exact: true })
  const [test, list] = Array.isArray(data) ? [null, data] : [data.name, data.tasks]
  // it sorts its samples
  const benchmarks = new Benchmarks(context, { isUnordered: true })
  const named = goodEntries(list, task, { at: 'tasks', what, warn: context.warn }).map(([key, one]) => {
    return { key, one, name: one.name ?? one['Task name'] ?? one['Task Name'] }
  })
  if (named.length > 0 && named.every(({ name }) => name === undefined))
    throw new MemberError('its tasks have no names; write their `name` beside their `result`')
  for (const { key, one, name } of named) {
    if (name === undefined) {
      benchmarks.warn(`tasks.${key} has no name`)
      continue
    }
    const id = benchmarks.another({ test: test || 'tinybench', name })
    const benchmark = { ...id, metric: 'time', unit: 's' }
    const error = one.Error ?? one.result?.error ?? one.error
    if (error !== undefined) benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: messageOf(error) })
    else
      measured(
        one,
        (samples) => benchmarks.samples(benchmark, samples),
        (summary) => benchmarks.given(benchmark, summary),
      )
  }
  return benchmarks.contribution('time of a task of tinybench')
}

function measured(
  one: Task,
  onSamples: (samples: readonly number[]) => void,
  onSummary: (summary: Summary) => void,
): void {
  const { latency, ...own } = one.result ?? one
  const { samples, samplesCount, mean, p50, rme } = latency ?? own
  const values = (samples ?? []).flatMap((value) => parseShifted(value, MILLI) ?? [])
  if (values.length > 0) {
    onSamples(values)
    return
  }
  const known = [
    ['median', p50, MILLI],
    ['mean', mean, MILLI],
    ['median', one['Latency med (ns)'] ?? one['Latency median (ns)'], NANO],
    ['mean', one['Average Time (ns)'], NANO],
  ] as const
  const [kind, digits, by] = known.find(([, found]) => found != null) ?? ['mean', '', 0]
  // a cell is `63815 ± 811.00`
  const value = parseShifted(digits!.split(' ')[0]!.replaceAll(',', ''), by)
  if (value === null) return
  const spread = rme == null ? null : parseShifted(rme, -2)
  onSummary({ kind, value, spread, repetitions: samplesCount ?? one.Samples ?? null })
}
