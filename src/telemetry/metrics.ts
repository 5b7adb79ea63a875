import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { traced } from './tracing.ts'

/** The steps of a triage whose time is measured. */
export type Stage = 'gather' | 'measure' | 'judge' | 'publish' | 'store' | 'others' | 'whole'

/** What a table takes, on one server of several. */
export interface TableSize {
  readonly table: string
  readonly rows: number
  /** On its disk, compressed. */
  readonly bytes: number
  /** When the first of its rows leave by retention, seconds since 1970; 0: none does. */
  readonly leaves: number
}

/** A disk of the database, of the server that is asked. */
export interface DatabaseDisk {
  readonly disk: string
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** Why a request at the address of webhooks was not taken: it is not one of GitHub, or it was too much. */
export const REFUSALS = ['not-github', 'not-signed', 'empty', 'not-a-payload', 'too-large', 'slow', 'busy'] as const
export type Refusal = (typeof REFUSALS)[number]

/** Values that are read only when somebody asks for the metrics; null: the inbox, database or disk that has them does not answer. */
export interface Readings {
  readonly queue: {
    readonly waiting: Readonly<Record<'deliveries' | 'triages', number>>
    readonly oldestSeconds: number
    readonly pausedInstallations: number
    /** The ten installations whose work waits longest. */
    readonly installations: readonly { readonly installationId: number; readonly oldestSeconds: number }[]
    /** The ten installations that were written to most within the last hour. */
    readonly writes: readonly { readonly installationId: number; readonly made: number }[]
  } | null
  /** The size of the inbox on its disk. */
  readonly inboxSize: {
    readonly bytes: number
    readonly tables: readonly { readonly table: string; readonly rows: number }[]
  } | null
  readonly isDatabaseUp: boolean
  /** The tables of the database. */
  readonly tables: readonly TableSize[] | null
  readonly databaseDisks: readonly DatabaseDisk[] | null
  /** The disk that the data folder is on. */
  readonly disk: { readonly freeBytes: number; readonly sizeBytes: number } | null
  readonly process: { readonly residentBytes: number; readonly heapBytes: number; readonly uptimeSeconds: number }
}

/** Installations whose remaining calls are shown: those with the fewest. */
const MOST_BUDGETS = 10

interface Budget {
  readonly remaining: number
  readonly resetAt: number
}

/** How work ends. */
const ENDS = ['done', 'failed'] as const
type End = (typeof ENDS)[number]

/** Upper ends of a histogram's buckets, in seconds. */
const BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/**
 * Counters and clocks of one bot, for Prometheus. Labels are closed lists, but for the numbers of installations, ten at a time: a
 * flood of names from outside makes no new series.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #deliveries = this.#counter('deliveries_total', 'Webhooks, by how far they got.', 'state', [
    'received',
    'done',
    'failed',
  ])
  readonly #refused = this.#counter(
    'webhooks_refused_total',
    'Requests to the webhook address that were refused, by reason.',
    'reason',
    REFUSALS,
  )
  readonly #triages = this.#counter('triages_total', 'Triages, by outcome.', 'outcome', ENDS)
  readonly #stages = this.#histogram('triage_seconds', 'Seconds of a triage, by stage.', 'stage')
  readonly #verdicts = this.#counter(
    'verdicts_total',
    'Rows of reports by verdict, once per head, and again when the verdict changes.',
    'verdict',
  )
  readonly #calls = this.#histogram(
    'github_request_seconds',
    'Seconds of calls to GitHub, by the class of their status.',
    'status',
  )
  readonly #downloads = this.#counter('downloads_total', 'Downloads of results, by outcome.', 'outcome', ENDS)
  readonly #waiting = this.#gauge('queue_waiting', 'Work that is due and not done.', 'queue')
  readonly #oldest = this.#gauge('queue_oldest_seconds', 'Age of the oldest work that is due.')
  readonly #oldestOf = this.#gauge(
    'installation_oldest_seconds',
    'The same for the ten installations that have waited longest.',
    'installation',
  )
  readonly #paused = this.#gauge(
    'installations_paused',
    'Installations that GitHub does not answer or told to wait, at most ten.',
  )
  readonly #budgetOf = this.#gauge(
    'github_budget_remaining',
    'Calls that GitHub still accepts this hour, for the ten installations with the fewest.',
    'installation',
  )
  readonly #writesOf = this.#gauge(
    'github_writes_in_hour',
    'Writes to GitHub within the last hour, for the ten installations with the most; at 500 their work waits.',
    'installation',
  )
  readonly #inboxBytes = this.#gauge('inbox_bytes', 'Bytes of the inbox on disk.')
  readonly #inboxRows = this.#gauge('inbox_rows', 'Rows of a table of the inbox; approximate for PostgreSQL.', 'table')
  readonly #inboxUp = this.#gauge('inbox_up', '1: the inbox answers.')
  readonly #databaseUp = this.#gauge('database_up', '1: the database answers.')
  readonly #tableBytes = this.#gauge('table_bytes', 'Bytes of a table on the disk of the database.', 'table')
  readonly #tableRows = this.#gauge('table_rows', 'Rows of a table, including replaced ones.', 'table')
  readonly #tableLeaves = this.#gauge(
    'table_next_expiry_timestamp_seconds',
    'When retention removes the first rows of a table: seconds since 1970.',
    'table',
  )
  readonly #diskFree = this.#gauge('disk_free_bytes', 'Free bytes on the disk of the data folder.')
  readonly #diskSize = this.#gauge('disk_size_bytes', 'Bytes of the disk of the data folder.')
  readonly #databaseDiskFree = this.#gauge(
    'database_disk_free_bytes',
    'Free bytes on a disk of the database; in a cluster, of the node that answers.',
    'disk',
  )
  readonly #databaseDiskSize = this.#gauge('database_disk_size_bytes', 'Bytes of that disk.', 'disk')
  readonly #resident = this.#gauge('process_resident_memory_bytes', 'Memory of the process, without the engine.')
  readonly #heap = this.#gauge('process_heap_used_bytes', 'The part of it used by JavaScript.')
  readonly #uptime = this.#gauge('process_uptime_seconds', 'Since the start of the process.')
  /** Gauges without a label, of sources that may not answer. */
  readonly #readings = [this.#oldest, this.#paused, this.#inboxBytes, this.#diskFree, this.#diskSize]
  readonly #listed = [
    ...[this.#waiting, this.#oldestOf, this.#budgetOf, this.#tableBytes, this.#tableRows, this.#tableLeaves],
    ...[this.#writesOf, this.#inboxRows, this.#databaseDiskFree, this.#databaseDiskSize],
  ]
  readonly #budgets = new Map<number, Budget>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  delivery(state: 'received' | 'done' | 'failed'): void {
    this.#deliveries.inc({ state })
  }

  refused(reason: Refusal): void {
    this.#refused.inc({ reason })
  }

  triage(outcome: End): void {
    this.#triages.inc({ outcome })
  }

  verdict(verdict: string): void {
    this.#verdicts.inc({ verdict })
  }

  download(outcome: End): void {
    this.#downloads.inc({ outcome })
  }

  /** A call that ended; `status` 0: without an answer. */
  githubCall(status: number, seconds: number): void {
    this.#calls.observe({ status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx` }, seconds)
  }

  /** The calls that are left to an installation until `resetAt`, milliseconds since 1970, from when on it has all of them again. */
  githubBudget(installationId: number, remaining: number, resetAt: number): void {
    this.#budgets.set(installationId, { remaining, resetAt })
    if (this.#budgets.size <= MOST_BUDGETS) return
    const [most] = [...this.#standingBudgets()].toSorted(([, a], [, b]) => b.remaining - a.remaining)
    if (this.#budgets.size > MOST_BUDGETS) this.#budgets.delete(most![0])
  }

  /** Forgets those that are over. */
  #standingBudgets(): ReadonlyMap<number, Budget> {
    for (const [installation, { resetAt }] of this.#budgets)
      if (resetAt <= this.#now()) this.#budgets.delete(installation)
    return this.#budgets
  }

  /** The result of `work`, whose time is that of the stage, also where it fails, and a span of a trace with these attributes. */
  async timed<T>(stage: Stage, work: () => Promise<T>, attributes: Readonly<Record<string, number>> = {}): Promise<T> {
    const started = performance.now()
    try {
      return await traced(stage === 'whole' ? 'triage' : `triage ${stage}`, attributes, work)
    } finally {
      this.#stages.observe({ stage }, (performance.now() - started) / 1000)
    }
  }

  /** Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/. */
  async text(read: Readings): Promise<string> {
    // A gauge whose source does not answer has no value, and one of what is gone has no series.
    for (const gauge of this.#readings) gauge.remove()
    for (const gauge of this.#listed) gauge.reset()
    this.#inboxUp.set(read.queue === null ? 0 : 1)
    if (read.queue !== null) {
      for (const queue of ['deliveries', 'triages'] as const) this.#waiting.set({ queue }, read.queue.waiting[queue])
      this.#oldest.set(read.queue.oldestSeconds)
      for (const { installationId: installation, oldestSeconds } of read.queue.installations)
        this.#oldestOf.set({ installation }, oldestSeconds)
      this.#paused.set(read.queue.pausedInstallations)
      for (const { installationId: installation, made } of read.queue.writes) this.#writesOf.set({ installation }, made)
    }
    if (read.inboxSize !== null) this.#inboxBytes.set(read.inboxSize.bytes)
    for (const { table, rows } of read.inboxSize?.tables ?? []) this.#inboxRows.set({ table }, rows)
    for (const [installation, { remaining }] of this.#standingBudgets()) this.#budgetOf.set({ installation }, remaining)
    this.#databaseUp.set(read.isDatabaseUp ? 1 : 0)
    for (const { table, rows, bytes, leaves } of read.tables ?? []) {
      if (leaves > 0) this.#tableLeaves.set({ table }, leaves)
      this.#tableRows.set({ table }, rows)
      this.#tableBytes.set({ table }, bytes)
    }
    for (const { disk, freeBytes, sizeBytes } of read.databaseDisks ?? []) {
      this.#databaseDiskFree.set({ disk }, freeBytes)
      this.#databaseDiskSize.set({ disk }, sizeBytes)
    }
    if (read.disk !== null) {
      this.#diskFree.set(read.disk.freeBytes)
      this.#diskSize.set(read.disk.sizeBytes)
    }
    this.#resident.set(read.process.residentBytes)
    this.#heap.set(read.process.heapBytes)
    this.#uptime.set(read.process.uptimeSeconds)
    return await this.#registry.metrics()
  }

  /** What is known to be counted begins at 0: an alert sees the first one. */
  #counter<Label extends string>(
    name: string,
    help: string,
    label: Label,
    known: readonly string[] = [],
  ): Counter<Label> {
    const counter = new Counter({ name: `perf_triage_${name}`, help, labelNames: [label], registers: [this.#registry] })
    for (const value of known) counter.inc({ [label]: value } as Record<Label, string>, 0)
    return counter
  }

  #gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name: `perf_triage_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram<Label extends string>(name: string, help: string, label: Label): Histogram<Label> {
    const labelNames = [label]
    return new Histogram({
      name: `perf_triage_${name}`,
      help,
      labelNames,
      buckets: BUCKETS,
      registers: [this.#registry],
    })
  }
}
