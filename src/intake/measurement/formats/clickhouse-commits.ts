import type { Contribution, Format, MemberReader, ReaderContext } from './format.ts'

/** ClickHouse's name of the file with the commit of the old build. */
const OLD_COMMIT_FILE = 'left-commit.txt'
const NEW_COMMIT_FILE = 'right-commit.txt'

/**
 * `left-commit.txt` (or what `oldCommitFile` names in its place) and `right-commit.txt` beside ClickHouse's raw files: the
 * commits of the old and of the new server, as `git log` prints them or as a bare id. Where another binary than the
 * intended one ran, a `WARNING:` line and a line `Reference commit: <id>` stand there as well; that line then is the truth.
 */
export function clickhouseCommits(oldCommitFile: string = OLD_COMMIT_FILE): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    looksFor: `${oldCommitFile}, ${NEW_COMMIT_FILE}`,
    oneSided: false,
    matchesName: (fileName) => (fileName === oldCommitFile || fileName === NEW_COMMIT_FILE ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: (fileName) => fileName,
    reader: (context) => new CommitReader(context, oldCommitFile),
  }
}

const REFERENCE = /^\s*Reference commit:\s*([0-9a-f]{7,64})\b/i
const COMMIT = /^\s*(?:commit\s+)?([0-9a-f]{7,64})(?=\s|$)/i
const FULL_ID = 40

class CommitReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #isOld: boolean
  #reference: string | null = null
  #first: string | null = null

  constructor(context: ReaderContext, oldCommitFile: string) {
    this.#context = context
    this.#isOld = context.fileName === oldCommitFile
  }

  line(text: string, number: number, ended: boolean): void {
    const reference = REFERENCE.exec(text)?.[1]
    const commit = reference ?? COMMIT.exec(text)?.[1]
    if (commit === undefined) return
    if (!ended && commit.length < FULL_ID) {
      this.#context.warn('truncated-line', number, 'the line has no newline, so the commit ID may be cut off: skipped')
      return
    }
    const id = this.#context.budget.keep(commit.toLowerCase())
    if (reference === undefined) this.#first ??= id
    else this.#reference ??= id
  }

  end(): Contribution {
    const commit = this.#reference ?? this.#first
    return {
      drafts: [],
      testErrors: [],
      oldCommit: this.#isOld ? commit : null,
      newCommit: this.#isOld ? null : commit,
    }
  }
}
