import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import type { OwnQuery } from '../own-verdict.ts'
import { type RunNotes, slowOnClient } from '../run-notes.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/** Tables beside ClickHouse's comparison: the time that the client saw, queries of one build, durations, the servers' own metrics, the machine. */
export const clickhouseNotes: readonly Format[] = [
  // test, query_index, client, server: seconds of all repetitions
  notes('client-times.tsv', ([test, index, client, server]) => {
    const query = queryOf(test, index)
    return query === null ? null : slowOnClient(query, finite(client), finite(server))
  }),
  // time (median), relative_time_stddev, test, query_index, query_display_name
  notes('partial-queries-report.tsv', ([time, deviation, test, index]) => {
    const [query, seconds, spread] = [queryOf(test, index), finite(time), finite(deviation)]
    return query === null || seconds === null || spread === null ? null : { partial: [{ ...query, seconds, spread }] }
  }),
  // problem, marked_short, time, test, query_index, query_display_name
  notes('unexpected-query-duration.tsv', ([problem = '', , time, test, index]) => {
    const [query, seconds] = [queryOf(test, index), finite(time)]
    return query === null || seconds === null || problem === ''
      ? null
      : { unexpectedDuration: [{ ...query, problem: unescapeTsv(problem).slice(0, LONGEST), seconds }] }
  }),
  // metrics/changes.tsv: metric, left median, right median, relative difference, times
  notes(
    'changes.tsv',
    ([metric = '', left, right, relative]) => {
      const [old, fresh, difference] = [finite(left), finite(right), finite(relative)]
      if (metric === '' || old === null || fresh === null || difference === null) return null
      return { servers: [{ metric: unescapeTsv(metric).slice(0, LONGEST), old, new: fresh, difference }] }
    },
    'metrics/',
  ),
  // rows of the table: old_sha, new_sha, metric, metric_value
  ...['run_attributes_v1.tsv', 'run-attributes-v1.tsv'].map((name) =>
    notes(name, ([, , attribute = '', value = '']) =>
      RUN_ATTRIBUTE.test(attribute) && value !== ''
        ? { attributes: [{ name: attribute, value: unescapeTsv(value).slice(0, LONGEST) }] }
        : null,
    ),
  ),
]

/** `lscpu-model-name`, `lscpu-l3-cache`, `numactl-cpubind`, … */
const RUN_ATTRIBUTE = /^(?:lscpu|numactl)-[a-z0-9-]{1,50}$/

/** Characters of a name that are kept. */
const LONGEST = 200

/** Lines of one table that are looked at; a shard has some 800 queries. */
const MOST_LINES = 20_000

type Line = (fields: readonly string[]) => RunNotes | null

function notes(name: string, line: Line, folder = ''): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    mayBeEmpty: true,
    looksFor: `${folder}${name}`,
    oneSided: false,
    matchesName: (fileName) => (fileName === name ? 'yes' : 'no'),
    matchesContent: () => false,
    // another program may have a file of that name in another folder
    claim: () => (folder === '' ? name : null),
    reader: (context) => new NotesReader(context, line, folder),
  }
}

function queryOf(test: string | undefined, index: string | undefined): OwnQuery | null {
  const queryIndex = parseIndex(index)
  return test === undefined || test === '' || queryIndex === null ? null : { test: unescapeTsv(test), queryIndex }
}

function finite(text: string | undefined): number | null {
  const value = text === undefined ? null : parseSample(text)
  return value !== null && Number.isFinite(value) ? value : null
}

/** A line of another shape says nothing, and is no reason to warn: the comparison does not need it. */
class NotesReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #line: Line
  readonly #isHere: boolean
  readonly #notes: RunNotes[] = []

  constructor(context: ReaderContext, line: Line, folder: string) {
    this.#context = context
    this.#line = line
    this.#isHere = folder === '' || context.path.includes(folder)
  }

  line(text: string, number: number, ended: boolean): void {
    if (!this.#isHere || !ended || number > MOST_LINES) return
    const found = this.#line(text.split('\t'))
    if (found === null) return
    this.#context.budget.measurement()
    this.#notes.push(found)
  }

  end(): Contribution {
    return this.#notes.length === 0 ? NOTHING : { ...NOTHING, notes: this.#notes }
  }
}
