import type { RerunFact } from '../confirmations.ts'
import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import { median } from '../median.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/**
 * The confirmation rerun of ClickHouse's performance check: the flagged queries measured once more after both servers
 * were restarted. Its files lie in `analyze-confirm/`, but for `unconfirmed-changes.tsv`, which is part of the report.
 * They say something of a run and are none themselves.
 */
export const clickhouseConfirmation: readonly Format[] = [
  confirmation('flagged-queries.tsv', true, flagged),
  confirmation('unconfirmed-queries.tsv', true, unconfirmed),
  confirmation('query-metric-stats.tsv', true, measuredAgain),
  confirmation('unconfirmed-changes.tsv', false, unconfirmedInReport),
  {
    name: 'clickhouse-raw',
    companion: true,
    ofConfirmation: true,
    mayBeEmpty: true,
    looksFor: 'analyze-confirm/<test>-raw.tsv',
    oneSided: false,
    matchesName: (fileName) => (testName(fileName) === '' ? 'no' : 'yes'),
    matchesContent: () => false,
    claim: testName,
    reader: (context) => new RepetitionReader(context),
  },
]

type Line = (fields: readonly string[]) => RerunFact | null

function confirmation(name: string, ofConfirmation: boolean, fact: Line): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    ofConfirmation,
    // An empty file is the usual case: nothing was flagged, or everything was confirmed.
    mayBeEmpty: true,
    looksFor: ofConfirmation ? `analyze-confirm/${name}` : name,
    oneSided: false,
    matchesName: (fileName) => (fileName === name ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: (fileName) => fileName,
    reader: (context) => new TableReader(context, fact),
  }
}

/** test, query_index, diff, stat_threshold, changed_threshold */
function flagged([test, index, diff, , changed]: readonly string[]): RerunFact | null {
  const query = queryOf(test, index)
  const [difference, changedThreshold] = [finite(diff), finite(changed)]
  if (query === null || difference === null || changedThreshold === null) return null
  return { kind: 'flagged', ...query, difference, changedThreshold }
}

/** test, query_index, diff_rerun, stat_threshold_rerun */
function unconfirmed([test, index, diff, own]: readonly string[]): RerunFact | null {
  const query = queryOf(test, index)
  const [difference, threshold] = [finite(diff), finite(own)]
  return query === null || difference === null || threshold === null
    ? null
    : { kind: 'unconfirmed', ...query, difference, threshold }
}

/** left, right, diff, stat_threshold, diff_rerun, stat_threshold_rerun, test, query_index, query_display_name */
function unconfirmedInReport(fields: readonly string[]): RerunFact | null {
  return unconfirmed([fields[6] ?? '', fields[7] ?? '', fields[4] ?? '', fields[5] ?? ''])
}

/** left[], right[], diff[], stat_threshold[], test, query_index: arrays of one metric, the time that the client saw. */
function measuredAgain([, , diffs, thresholds, test, index]: readonly string[]): RerunFact | null {
  const query = queryOf(test, index)
  const [difference, threshold] = [finite(firstOf(diffs)), finite(firstOf(thresholds))]
  return query === null || difference === null || threshold === null
    ? null
    : { kind: 'measured-again', ...query, difference, threshold }
}

function queryOf(
  test: string | undefined,
  index: string | undefined,
): { readonly test: string; readonly queryIndex: number } | null {
  const queryIndex = parseIndex(index)
  return test === undefined || test === '' || queryIndex === null ? null : { test: unescapeTsv(test), queryIndex }
}

function finite(text: string | undefined): number | null {
  const value = text === undefined ? null : parseSample(text)
  return value !== null && Number.isFinite(value) ? value : null
}

function firstOf(array: string | undefined): string | undefined {
  return /^\[([^,\]]*)/.exec(array ?? '')?.[1]
}

class TableReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #fact: Line
  readonly #facts: RerunFact[] = []

  constructor(context: ReaderContext, fact: Line) {
    this.#context = context
    this.#fact = fact
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '') return
    if (!ended) {
      this.#context.warn('truncated-line', number, 'the last line has no newline, so it may be cut off: skipped')
      return
    }
    const fact = this.#fact(text.split('\t'))
    if (fact === null) {
      this.#context.warn('malformed-line', number, 'this is not a line of a confirmation rerun: skipped')
      return
    }
    this.#context.budget.measurement()
    this.#facts.push({ ...fact, test: this.#context.budget.keep(fact.test) })
  }

  end(): Contribution {
    return { ...NOTHING, rerun: this.#facts }
  }
}

const RAW_ENDING = '-raw.tsv'

function testName(fileName: string): string {
  return fileName.endsWith(RAW_ENDING) ? fileName.slice(0, -RAW_ENDING.length) : ''
}

/** The repetitions of the rerun: how far apart their medians are, where both sides have equally many. */
class RepetitionReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #test: string
  readonly #queries = new Map<number, { readonly old: number[]; readonly new: number[] }>()

  constructor(context: ReaderContext) {
    this.#context = context
    this.#test = context.budget.keep(testName(context.fileName))
  }

  line(text: string, _number: number, ended: boolean): void {
    // A broken line leaves its query with unequal sides, and such a query is not believed.
    if (!ended || !text.startsWith('query\t')) return
    const [, index, , server, time] = text.split('\t')
    const queryIndex = parseIndex(index)
    const value = finite(time)
    if (queryIndex === null || value === null || (server !== '0' && server !== '1')) return
    let query = this.#queries.get(queryIndex)
    if (query === undefined) {
      this.#context.budget.measurement()
      query = { old: [], new: [] }
      this.#queries.set(queryIndex, query)
    }
    this.#context.budget.sample()
    query[server === '0' ? 'old' : 'new'].push(value)
  }

  end(): Contribution {
    const rerun: RerunFact[] = []
    for (const [queryIndex, sides] of this.#queries) {
      if (sides.old.length === 0 || sides.old.length !== sides.new.length) continue
      const before = median(sides.old)
      if (before <= 0) continue
      const difference = (median(sides.new) - before) / before
      rerun.push({ kind: 'measured-again', test: this.#test, queryIndex, difference, threshold: null })
    }
    return { ...NOTHING, rerun }
  }
}
