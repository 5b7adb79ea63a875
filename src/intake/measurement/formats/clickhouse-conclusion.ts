import { unescapeTsv } from '../fields.ts'
import { MOST_FLAGGED } from '../own-report.ts'
import type { OwnFlags } from '../own-verdict.ts'
import { messageOf, queryOf, said, statusOf } from './clickhouse-status.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/** How ClickHouse's check concludes: the result of its job, the comments in its report, the rows that it sends to the CI database. */
export const clickhouseConclusion: readonly Format[] = [
  format('result_<job>.json', /^result_.+\.json$/, async () =>
    (await import('./clickhouse-job-result.ts')).jobResultReader(),
  ),
  format('report.html', /^report\.html$/, () => new ReportReader()),
  format('ci-checks.tsv', /^ci-checks\.tsv$/, (context) => new ChecksReader(context)),
]

function format(
  looksFor: string,
  name: RegExp,
  reader: (context: ReaderContext) => MemberReader | Promise<MemberReader>,
): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    mayBeEmpty: true,
    looksFor,
    oneSided: false,
    matchesName: (fileName) => (name.test(fileName) ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: () => looksFor,
    reader,
  }
}

/** The comments `<!--status: failure-->` and `<!--message: 2 slower-->`. */
class ReportReader implements MemberReader {
  #status: string | undefined
  #message: string | undefined

  line(text: string): void {
    if (!text.includes('<!--')) return
    this.#status ??= /<!--[ ]*status:([^>]{0,40})-->/.exec(text)?.[1]
    this.#message ??= /<!--[ ]*message:(.{0,2000}?)-->/.exec(text)?.[1]
  }

  end(): Contribution {
    const [status, message] = [statusOf(this.#status), messageOf(this.#message)]
    return status === null && message === null ? NOTHING : said({ of: 'report', status, message })
  }
}

/** Fields of a line, of which `check_status`, `test_name` and `test_status` are read. */
const FIELDS = 17

/**
 * A row of the check as a whole, which has no name and its message as the status, and two rows a query, `sum #8::old` and `sum #8::new`, with
 * the same status: slower, unstable or success, which faster ones have too.
 *
 * A full disk may cut the file at the end of a line, too. Cut: no row of the check, `sum #8::old` alone, one row that is slower after `2 slower`.
 */
class ChecksReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #rows: OwnFlags['rows'][number][] = []
  #status: string | undefined
  #message: string | undefined
  #slower = 0
  #unstable = 0
  #old = 0
  #new = 0
  #isCut = false
  #isEmpty = true

  constructor(context: ReaderContext) {
    this.#context = context
  }

  line(text: string, number: number, ended: boolean): void {
    if (number <= 2 || text === '') return
    const fields = text.split('\t')
    if (!ended || fields.length < FIELDS) {
      this.#isCut = true
      return
    }
    this.#isEmpty = false
    const [status, name, testStatus] = [fields[3]!, unescapeTsv(fields[6]!), fields[7]!]
    if (name === '') {
      this.#status ??= status
      this.#message ??= unescapeTsv(testStatus)
    } else if (name.endsWith('::old')) {
      this.#old += 1
    } else if (name.endsWith('::new')) {
      this.#new += 1
      this.#query(name.slice(0, -'::new'.length), testStatus)
    }
  }

  end(): Contribution {
    if (this.#isEmpty) return NOTHING
    const flagged = { slower: this.#slower, faster: null, unstable: this.#unstable, rows: this.#rows }
    const [status, message] = [statusOf(this.#status), messageOf(this.#message)]
    const isWhole =
      !this.#isCut && this.#message !== undefined && this.#old === this.#new && this.#slower >= slowerOf(message)
    if (status === null && message === null && !isWhole) return NOTHING
    return said({ of: 'report', status, message, flagged: isWhole ? flagged : null })
  }

  #query(name: string, status: string): void {
    if (status === 'unstable') this.#unstable += 1
    if (status !== 'slower') return
    this.#slower += 1
    const [query] = queryOf({ name })
    if (query !== undefined && this.#rows.length < MOST_FLAGGED) {
      this.#rows.push({ test: this.#context.budget.keep(query.test), queryIndex: query.queryIndex, flag: 'slower' })
    }
  }
}

/** 2 of `1 too long, 3 faster, 2 slower`. Of unstable ones it also counts queries that have no rows. */
function slowerOf(message: string | null): number {
  return Number(/(?:^|, *)(\d{1,6}) slower\b/.exec(message ?? '')?.[1] ?? 0)
}
