import type { GivenValues } from '../imports/checks/given-values.ts'
import { CLASSIFICATIONS, type Classification } from '../ledger/failure.ts'

/** Where a command writes: the process's streams, or a test's. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** What a command gets of the world. A command returns its exit code; it never ends the process. */
export interface CommandIO {
  /** What `-` stands for; the process's own where not given. */
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Everything went well; a `--fail-on` condition holds; bad input or usage. */
export const EXIT_OK = 0
export const EXIT_CONDITION = 1
export const EXIT_BAD_INPUT = 2

/** What the user gave cannot be used. The message is one line: what, where, and what to do. Ends with exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** The conditions of `--fail-on`. `changed` is slower or faster; `failed` is in the new build alone, or in an unknown one. */
export const FAIL_ON = ['slower', 'unstable', 'changed', 'failed'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** The options of all commands that read one run. */
export interface RunOptions {
  /** A folder, an archive or files; empty when `old` and `new` are given. */
  readonly paths: readonly string[]
  /** Files of one side each; both empty or both not. */
  readonly old: readonly string[]
  readonly new: readonly string[]
  /** `auto` or the name of a format. */
  readonly format: string
  /** The name of a metric or `all`; null: the default. */
  readonly metric: string | null
  /** Fractions; null where not given. */
  readonly changedThreshold: number | null
  readonly unstableThreshold: number | null
  readonly failOn: readonly FailOn[]
  readonly json: boolean
}

export interface ClassifyOptions extends RunOptions {
  /** Show every row. */
  readonly all: boolean
}

export interface CommentOptions extends RunOptions {
  /** The architecture of measurements that state none; null: unknown. */
  readonly architecture: string | null
}

export interface ServeOptions {
  /** In the place of PORT and HOST; null where not given. */
  readonly port: number | null
  readonly host: string | null
}

export interface MigrateOptions {
  readonly json: boolean
}

export interface BackupOptions {
  readonly file: string
  readonly json: boolean
}

export interface DoctorOptions {
  readonly json: boolean
}

export interface LedgerImportOptions {
  /** `-` is stdin. */
  readonly files: readonly string[]
  /** `auto` or the name of a format. */
  readonly format: string
  readonly given: GivenValues
  /** The start of the job in milliseconds; null: as the files state it. */
  readonly time: number | null
  readonly repositoryId: number
  readonly json: boolean
}

export interface HistoryImportOptions {
  /** `-` is stdin. */
  readonly files: readonly string[]
  /** null: not given. */
  readonly repositoryId: number | null
  /** `owner/name`; null: not given. */
  readonly repository: string | null
  /** The names of the trunk. */
  readonly trunk: readonly string[]
  readonly json: boolean
}

/** Classifications that `ledger lookup --fail-on` takes. */
export const LOOKUP_FAIL_ON = CLASSIFICATIONS
export type LookupFailOn = Classification

export interface LedgerLookupOptions {
  /** null where not given. */
  readonly pullRequestNumber: number | null
  readonly commitSha: string | null
  /** One test, without a commit: `testName` is not null then. */
  readonly testName: string | null
  readonly checkName: string | null
  /** Milliseconds; null: the time of each failure. */
  readonly now: number | null
  /** null: as the configuration says. */
  readonly lookbackDays: number | null
  /** Empty: not given. */
  readonly trunk: readonly string[]
  /** `owner/name`; null: rows of every repository count. */
  readonly repository: string | null
  readonly repositoryId: number
  readonly mergeBase: string | null
  /** Empty: nobody said what the pull request changes. */
  readonly changedFiles: readonly string[]
  /** null: `.github/perf-triage.yml` where it is there. */
  readonly config: string | null
  readonly failOn: readonly LookupFailOn[]
  readonly json: boolean
}
