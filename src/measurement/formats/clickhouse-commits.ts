import type { Contribution, Format, MemberReader, ReaderContext } from './format.ts'

/**
 * `left-commit.txt` and `right-commit.txt` beside ClickHouse's raw files: the commits of the old and of the new server,
 * as `git log` prints them or as a bare id. Where another binary than the intended one ran, a `WARNING:` line and a
 * line `Reference commit: <id>` stand there as well; that line then is the truth.
 */
export const clickhouseCommits: Format = {
  name: 'clickhouse-raw',
  companion: true,
  looksFor: 'left-commit.txt, right-commit.txt',
  oneSided: false,
  matchesName: (fileName) => (fileName === 'left-commit.txt' || fileName === 'right-commit.txt' ? 'yes' : 'no'),
  matchesContent: () => false,
  claim: (fileName) => fileName,
  reader: (context) => new CommitReader(context),
}

const REFERENCE = /^\s*Reference commit:\s*([0-9a-f]{7,64})\b/i
const COMMIT = /^\s*(?:commit\s+)?([0-9a-f]{7,64})(?=\s|$)/i
const FULL_ID = 40

class CommitReader implements MemberReader {
  readonly #context: ReaderContext
  #reference: string | null = null
  #first: string | null = null

  constructor(context: ReaderContext) {
    this.#context = context
  }

  line(text: string, number: number, ended: boolean): void {
    const reference = REFERENCE.exec(text)?.[1]
    const commit = reference ?? COMMIT.exec(text)?.[1]
    if (commit === undefined) return
    if (!ended && commit.length < FULL_ID) {
      this.#context.warn('truncated-line', number, 'the line has no end, so the commit id may have been cut: not read')
      return
    }
    const id = this.#context.budget.keep(commit.toLowerCase())
    if (reference === undefined) this.#first ??= id
    else this.#reference ??= id
  }

  end(): Contribution {
    const commit = this.#reference ?? this.#first
    const old = this.#context.fileName === 'left-commit.txt'
    return { drafts: [], testErrors: [], oldCommit: old ? commit : null, newCommit: old ? null : commit }
  }
}
