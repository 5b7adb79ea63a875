import { traced } from './tracing.ts'

/** The steps of a triage whose time is measured. */
export type Stage = 'gather' | 'measure' | 'judge' | 'publish' | 'whole'

/** What is read only when somebody asks for the metrics. */
export interface Readings {
  readonly waiting: Readonly<Record<'deliveries' | 'triages', number>>
  readonly oldestSeconds: number
  readonly pausedInstallations: number
  /** Those whose work waits longest, ten at the most. */
  readonly installations: readonly { readonly installationId: number; readonly oldestSeconds: number }[]
  readonly isDatabaseUp: boolean
  readonly process: { readonly residentBytes: number; readonly heapBytes: number; readonly uptimeSeconds: number }
}

/** Installations whose remaining calls are shown: those with the fewest. */
const MOST_BUDGETS = 10

/**
 * Counters and clocks of one bot, for Prometheus. Labels are closed lists, but for the numbers of installations, ten at a time: a
 * flood of names from outside makes no new series.
 */
export class Metrics {
  readonly #deliveries = new Counter('deliveries_total', 'Webhooks, by how far they came.', 'state')
  readonly #triages = new Counter('triages_total', 'Triages, by how they ended.', 'outcome')
  readonly #stages = new Histogram('triage_seconds', 'Seconds of a triage, by stage.', 'stage')
  readonly #verdicts = new Counter('verdicts_total', 'Rows of reports that were stored, by verdict.', 'verdict')
  readonly #calls = new Histogram(
    'github_request_seconds',
    'Seconds of calls to GitHub, by the class of their status.',
    'status',
  )
  readonly #downloads = new Counter('downloads_total', 'Downloads of results, by how they ended.', 'outcome')
  readonly #budgets = new Map<number, number>()

  delivery(state: 'received' | 'done' | 'failed'): void {
    this.#deliveries.add(state)
  }

  triage(outcome: 'done' | 'failed'): void {
    this.#triages.add(outcome)
  }

  verdict(verdict: string): void {
    this.#verdicts.add(verdict)
  }

  download(outcome: 'done' | 'failed'): void {
    this.#downloads.add(outcome)
  }

  /** A call that ended; `status` 0: without an answer. */
  githubCall(status: number, seconds: number): void {
    this.#calls.observe(status === 0 ? 'none' : `${Math.floor(status / 100)}xx`, seconds)
  }

  githubBudget(installationId: number, remaining: number): void {
    this.#budgets.set(installationId, remaining)
    if (this.#budgets.size <= MOST_BUDGETS) return
    const [most] = [...this.#budgets].toSorted(([, a], [, b]) => b - a)
    this.#budgets.delete(most![0])
  }

  /** The result of `work`, whose time is that of the stage, also where it fails, and a span of a trace with these attributes. */
  async timed<T>(stage: Stage, work: () => Promise<T>, attributes: Readonly<Record<string, number>> = {}): Promise<T> {
    const started = performance.now()
    try {
      return await traced(stage === 'whole' ? 'triage' : `triage ${stage}`, attributes, work)
    } finally {
      this.#stages.observe(stage, (performance.now() - started) / 1000)
    }
  }

  /** Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/. */
  text(read: Readings): string {
    const byInstallation = (values: Iterable<readonly [number, number]>): Sample[] =>
      [...values].map(([id, value]) => [`{installation="${id}"}`, value])
    const oldestOf = read.installations.map(
      ({ installationId, oldestSeconds }) => [installationId, oldestSeconds] as const,
    )
    return [
      ...[this.#deliveries, this.#triages, this.#stages, this.#verdicts, this.#calls, this.#downloads].map((one) =>
        one.text(),
      ),
      gauge('queue_waiting', 'Work whose time has come and that is not done.', [
        ['{queue="deliveries"}', read.waiting.deliveries],
        ['{queue="triages"}', read.waiting.triages],
      ]),
      gauge('queue_oldest_seconds', 'Age of the oldest work whose time has come.', [['', read.oldestSeconds]]),
      gauge(
        'installation_oldest_seconds',
        'The same of the ten installations that wait longest.',
        byInstallation(oldestOf),
      ),
      gauge('installations_paused', 'Installations that GitHub does not answer or asked to wait, ten at the most.', [
        ['', read.pausedInstallations],
      ]),
      gauge(
        'github_budget_remaining',
        'Calls that GitHub still takes in this hour, of the ten installations with the fewest.',
        byInstallation(this.#budgets),
      ),
      gauge('database_up', '1: the database answers.', [['', read.isDatabaseUp ? 1 : 0]]),
      gauge('process_resident_memory_bytes', 'Memory of the process, without the engine.', [
        ['', read.process.residentBytes],
      ]),
      gauge('process_heap_used_bytes', 'The part of it that JavaScript uses.', [['', read.process.heapBytes]]),
      gauge('process_uptime_seconds', 'Since the start of the process.', [['', read.process.uptimeSeconds]]),
    ].join('')
  }
}

type Sample = readonly [labels: string, value: number]

function family(
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  samples: readonly string[],
): string {
  return [`# HELP perf_triage_${name} ${help}`, `# TYPE perf_triage_${name} ${type}`, ...samples].join('\n') + '\n'
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  return family(
    'gauge',
    name,
    help,
    samples.map(([labels, value]) => `perf_triage_${name}${labels} ${value}`),
  )
}

class Counter {
  readonly #values = new Map<string, number>()
  readonly #name: string
  readonly #help: string
  readonly #label: string

  constructor(name: string, help: string, label: string) {
    this.#name = name
    this.#help = help
    this.#label = label
  }

  add(of: string): void {
    this.#values.set(of, (this.#values.get(of) ?? 0) + 1)
  }

  text(): string {
    const samples = [...this.#values].map(([of, value]) => `perf_triage_${this.#name}{${this.#label}="${of}"} ${value}`)
    return family('counter', this.#name, this.#help, samples)
  }
}

/** Upper ends of a histogram's buckets, in seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, Number.POSITIVE_INFINITY]

class Histogram {
  readonly #values = new Map<string, { readonly counts: number[]; sum: number }>()
  readonly #name: string
  readonly #help: string
  readonly #label: string

  constructor(name: string, help: string, label: string) {
    this.#name = name
    this.#help = help
    this.#label = label
  }

  observe(of: string, seconds: number): void {
    const found = this.#values.get(of) ?? { counts: BUCKETS.map(() => 0), sum: 0 }
    this.#values.set(of, found)
    found.sum += seconds
    for (const [index, end] of BUCKETS.entries()) if (seconds <= end) found.counts[index]! += 1
  }

  text(): string {
    const name = `perf_triage_${this.#name}`
    const samples = [...this.#values].flatMap(([of, { counts, sum }]) => {
      const label = `${this.#label}="${of}"`
      const ends = BUCKETS.map((end) => (Number.isFinite(end) ? String(end) : '+Inf'))
      return [
        ...counts.map((count, index) => `${name}_bucket{${label},le="${ends[index]}"} ${count}`),
        `${name}_sum{${label}} ${sum}`,
        `${name}_count{${label}} ${counts.at(-1)}`,
      ]
    })
    return family('histogram', this.#name, this.#help, samples)
  }
}
