import { parseIndex, unescapeTsv } from '../fields.ts'
import type { Side } from '../run.ts'
import {
  type Contribution,
  type Format,
  type MemberReader,
  NOTHING,
  type ReaderContext,
  type TestError,
} from './format.ts'

/** `run-errors.tsv` beside ClickHouse's raw files: test and error, tab-separated, one error a line. */
export const clickhouseRunErrors: Format = {
  name: 'clickhouse-raw',
  companion: true,
  looksFor: 'run-errors.tsv',
  oneSided: false,
  matchesName: (fileName) => (fileName === 'run-errors.tsv' ? 'yes' : 'no'),
  matchesContent: () => false,
  claim: () => null,
  reader: (context) => new RunErrorsReader(context),
}

/** How perf.py's errors of one query begin. */
const QUERY_PREFIX = /^query (\d{1,9}) server ([01]): /

class RunErrorsReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #errors: TestError[] = []

  constructor(context: ReaderContext) {
    this.#context = context
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '') return
    const { budget, warn, where } = this.#context
    if (!ended) warn('truncated-line', number, 'the last line has no newline, so the message may be cut off')
    const tab = text.indexOf('\t')
    if (tab < 1) {
      warn('malformed-line', number, 'no test and error, separated by a tab: skipped')
      return
    }
    budget.measurement()
    const message = unescapeTsv(text.slice(tab + 1))
    const query = QUERY_PREFIX.exec(message)
    const side: Side | null = query === null ? null : query[2] === '0' ? 'old' : 'new'
    this.#errors.push({
      test: budget.keep(unescapeTsv(text.slice(0, tab))),
      queryIndex: parseIndex(query?.[1]),
      side,
      message: budget.keep(query === null ? message : message.slice(query[0].length)),
      where,
      line: number,
    })
  }

  end(): Contribution {
    return { ...NOTHING, testErrors: this.#errors }
  }
}
