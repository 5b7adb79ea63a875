import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { nameWithoutSide } from '../side-of-name.ts'
import { betterOfName } from '../units.ts'
import { areTooMany, type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'

/** k6's times are milliseconds. */
const MILLI = -3

const values = z.record(z.string().max(1000), z.unknown())
const described = z.object({ type: z.string(), contains: z.string().optional(), values })
/** With its type in the data of `handleSummary`, without it in `--summary-export`. */
const metric = z.union([described, values.transform((flat) => ({ type: null, contains: undefined, values: flat }))])
const named = described.extend({ name: z.string().max(10_000) })
const schema = z.union(
  [
    z.object({ metrics: z.record(z.string().max(10_000), z.unknown()) }),
    // --new-machine-readable-summary
    z.object({
      config: z.object({ duration: z.number().nullish() }).nullish(),
      results: z.object({
        metrics: z.array(z.unknown()).max(50_000),
        checks: z.object({ metrics: z.array(z.unknown()).max(1000) }).nullish(),
      }),
    }),
  ],
  { error: 'no metrics' },
)

/** Parts of the time of a request, which is whole in `http_req_duration`. */
const PARTS = /^http_req_(?:blocked|connecting|tls_handshaking|sending|waiting|receiving)$/
/** k6 itself makes it of each request that was answered well. */
const ANSWERED = 'expected_response:true'
/** The trends of k6 itself that are times; of one of a script `--summary-export` does not say it. */
const TIMES = /_duration$|^ws_(?:connecting|ping)$|^browser_web_vital_(?:fcp|fid|inp|lcp|ttfb)$/
const QUANTILES = [
  ['p95', ['p(95)', 'p95']],
  ['p99', ['p(99)', 'p99']],
] as const

const RATE = { metric: 'throughput', unit: '1/s', better: 'higher' } as const
const TOO_MANY_FAILED = 'too many requests failed'

interface Found {
  readonly name: string
  readonly isTime: boolean
  /** The text of a number. */
  readonly of: (...keys: readonly string[]) => string | null
}

export function k6Summary(document: string, context: ReaderContext): Contribution {
  const what = 'summary of k6'
  const data = parseDocument(document, schema, what, { exact: true })
  const seconds = 'metrics' in data ? null : (data.config?.duration ?? null)
  const of = { at: 'metrics', what, warn: context.warn }
  const all: readonly Found[] =
    'metrics' in data
      ? goodEntries(data.metrics, metric, of).map(([name, one]) => found(name, one))
      : goodEntries([...data.results.metrics, ...(data.results.checks?.metrics ?? [])], named, of).map(([, one]) =>
          found(one.name, one),
        )
  const benchmarks = new Benchmarks(context, { isEachAProcess: true })
  // several scripts are several files, which nothing else tells apart
  const test = nameWithoutSide(context.fileName) ?? 'k6'
  const failure = failureOf(all)
  const answered = all.find(({ name }) => name === `http_req_duration{${ANSWERED}}`)
  for (const one of all) {
    const [base = '', tags] = one.name.split('{', 2)
    if (PARTS.test(base) || tags?.startsWith(ANSWERED) === true) continue
    const id = { test, name: one.name }
    const isOfRequests = base === 'http_req_duration' || base === 'http_reqs' || base === 'iterations'
    const isVoid = isOfRequests && failure !== null && areTooMany(failure)
    if (one.of('med', 'avg') !== null) {
      const time: Benchmark = { ...id, metric: 'time', unit: 's' }
      // k6 itself tells the time of the requests that were answered well apart
      const well = failure !== null && one.name === 'http_req_duration' ? answered : undefined
      if (failure !== null && one.name === 'http_req_duration') {
        benchmarks.failedRuns(time, { ...failure, isCounted: !isVoid && well === undefined })
      } else if (isVoid) benchmarks.failed(time, TOO_MANY_FAILED)
      const isAnswered = well !== undefined && failure!.failed < failure!.of
      if (!isVoid || isAnswered) trend(benchmarks, id, well === undefined ? one : { ...well, name: one.name })
    }
    if (base === 'http_reqs' || base === 'iterations') {
      if (isVoid) benchmarks.failed({ ...id, ...RATE }, TOO_MANY_FAILED)
      else rate(benchmarks, id, one, seconds)
    }
    if (base === 'http_req_failed') share(benchmarks, { ...id, metric: 'failed' }, one)
    if (base === 'checks' || base === 'checks_succeeded') {
      share(benchmarks, { test, name: `checks${one.name.slice(base.length)}`, metric: 'passed', better: 'higher' }, one)
    }
  }
  return benchmarks.contribution('metric of k6')
}

/** How many requests failed; null: none, or nothing says it. */
function failureOf(all: readonly Found[]) {
  const metric = all.find(({ name }) => name === 'http_req_failed')
  const share = Number(metric?.of('rate', 'value') ?? 0)
  if (metric === undefined || !(share > 0)) return null
  const [failed, good, total] = [metric.of('passes', 'matches'), metric.of('fails'), metric.of('total')]
  const requests = all.find(({ name }) => name === 'http_reqs')?.of('count')
  const of = Number(total ?? (good === null ? requests : Number(failed) + Number(good)) ?? 100)
  return { failed: failed === null ? Math.round(share * of) : Number(failed), of, what: 'request', why: '' }
}

function found(name: string, { contains, type, values: all }: z.infer<typeof metric>): Found {
  const of = (...keys: readonly string[]) => {
    for (const key of keys) {
      const { data } = decimal.safeParse(Object.hasOwn(all, key) ? all[key] : undefined)
      if (data !== undefined) return data
    }
    return null
  }
  return { name, isTime: type === null ? TIMES.test(name.split('{', 1)[0]!) : contains === 'time', of }
}

interface Id {
  readonly test: string
  readonly name: string
}

function trend(benchmarks: Benchmarks, id: Id, { name, isTime, of }: Found): void {
  const by = isTime ? MILLI : 0
  const kindOfValue = isTime ? { unit: 's' } : { unit: null, better: betterOfName(name) }
  const value = parseShifted(of('med', 'avg')!, by)
  const kind = of('med') === null ? 'mean' : 'median'
  if (value !== null) benchmarks.given({ ...id, metric: isTime ? 'time' : 'value', ...kindOfValue }, { kind, value })
  for (const [quantile, keys] of QUANTILES) {
    const late = parseShifted(of(...keys) ?? '', by)
    if (late !== null)
      benchmarks.given(
        { ...id, metric: isTime ? quantile : `value ${quantile}`, ...kindOfValue },
        { kind: 'value', value: late },
      )
  }
}

function rate(benchmarks: Benchmarks, id: Id, { of }: Found, seconds: number | null): void {
  const counted = parseShifted(of('count') ?? '', 0)
  const perSecond = counted === null || seconds === null || seconds <= 0 ? null : counted / seconds
  const value = parseShifted(of('rate') ?? '', 0) ?? perSecond
  if (value === null) return
  benchmarks.given({ ...id, ...RATE }, { kind: 'mean', value })
}

function share(
  benchmarks: Benchmarks,
  of: Id & { readonly metric: string; readonly better?: 'higher' },
  { of: number }: Found,
): void {
  const value = parseShifted(number('rate', 'value') ?? '', 0)
  if (value !== null) benchmarks.given({ ...of, unit: '1' }, { kind: 'value', value })
}
