import type { Budget } from '../budget.ts'
import type { RerunFact } from '../confirmations.ts'
import type { Draft } from '../draft.ts'
import type { TableFields } from '../lines.ts'
import type { MeasuredTurns } from '../measured-turns.ts'
import type { MemberMetrics, SourceMetrics } from '../metric-table.ts'
import type { OwnPart } from '../own-report.ts'
import type { MemberStacks } from '../profiles.ts'
import type { ReadWarningCode, Side } from '../run.ts'
import type { RunNotes } from '../run-notes.ts'
import type { SourceStacks } from '../stack-counts.ts'

/** How sure a member's name makes a format: `maybe` is settled by the first bytes. */
export type NameMatch = 'yes' | 'maybe' | 'no'

/** An error that concerns a test as a whole, or a query of it that may stand in another member. */
export interface TestError {
  readonly test: string
  readonly queryIndex: number | null
  readonly side: Side | null
  readonly message: string
  readonly where: string
  readonly line: number
}

/** The part of a run that one member gave. */
export interface Contribution {
  readonly drafts: readonly Draft[]
  readonly testErrors: readonly TestError[]
  readonly oldCommit: string | null
  readonly newCommit: string | null
  /** The member's facts about a confirmation rerun. */
  readonly rerun?: readonly RerunFact[]
  /** What it says of the report that the run itself made. */
  readonly own?: OwnPart
  /** What it says beside the comparison. */
  readonly notes?: readonly RunNotes[]
  /** The stacks of profilers in it. */
  readonly stacks?: MemberStacks
  /** The metrics of each repetition in it. */
  readonly metrics?: MemberMetrics
  /** The order of other members, and what equal builds gave. */
  readonly turns?: MeasuredTurns
  /** What the member says only together with others of the source. */
  readonly part?: FilePart
  /** The program or the machine that the member was measured of, and which side that is. */
  readonly label?: {
    readonly side: Side
    readonly kind: 'program' | 'machine'
    readonly text: string
    /** The system that a machine ran; where the sides ran different ones, those are compared. */
    readonly system?: string
  }
}

/**
 * What a file says that means something only together with those beside it: the samples of a benchmark whose name another file
 * has. The parts of one `assemble` are given to it together, once all members were read.
 */
export interface FilePart {
  /** Throws `MemberError` where nothing follows from them. */
  readonly assemble: (parts: readonly FilePart[]) => Contribution
}

export const NOTHING: Contribution = { drafts: [], testErrors: [], oldCommit: null, newCommit: null }

export interface ReaderContext {
  /** The member's file name without folders and without the ending of a compression. */
  readonly fileName: string
  /** The member's path from the root of its source, with the names of archives on the way. */
  readonly path: string
  /** How messages name the member. */
  readonly where: string
  /** The side of the whole file where the caller said so. */
  readonly side: Side | null
  /** The side that the member's path names, for a file that does not say itself. */
  readonly sideOfName: Side | null
  /** The side that the name of the source says: `new` of `classify old new`. */
  readonly sideOfRoot: Side | null
  readonly budget: Budget
  /** The stacks that are kept of all members. */
  readonly stacks: SourceStacks
  /** The metrics that are kept of all members. */
  readonly metrics: SourceMetrics
  /** `line` is 1-based, null for the member as a whole. */
  readonly warn: (code: ReadWarningCode, line: number | null, message: string) => void
}

/** The member is not what its format promises: nothing of it is used. The message is a part of a line for a person. */
export class MemberError extends Error {
  override readonly name = 'MemberError'
}

/** Reads one member line by line. What is wrong is a warning; only `LimitReached` and `MemberError` are thrown. */
export interface MemberReader {
  /** Characters of a line that the reader takes; absent: those of `Limits`. */
  readonly lineLength?: number
  /** `ended` is false for a last line without an end: the file may have been cut there. */
  line(text: string, number: number, ended: boolean): void
  /** Takes the member as bytes: it is no text, and `line` is never called. */
  chunk?(bytes: Uint8Array): void
  /** Called once, also when a limit `stopped` the member: what was read until then. */
  end(stopped: boolean): Contribution
}

/** Nothing says of which side a member is that has one. */
export const NO_SIDE =
  'has one side per file, and nothing says which: use --old or --new, a folder old/ or new/, or a name ending in -old or -new; to judge the head alone, use --new FILE --against history'

/** The output of a program that somebody put into a file, by whatever name: its contents decide. */
export function nameOfText(fileName: string): NameMatch {
  return /^(?:old|new|base|head)$|^[^.]*bench[^.]*$|\.(?:txt|log|out|output|bench|json|jsonl|ndjson)$/i.test(fileName)
    ? 'maybe'
    : 'no'
}

export function nameOfJson(fileName: string): NameMatch {
  return /\.json$/i.test(fileName) ? 'maybe' : 'no'
}

/** An input format, or a file that stands beside one. */
export interface Format {
  /** The name for `--format`; a companion carries the name of its format. */
  readonly name: string
  /** The file says something about the run and is no measurement: on its own it makes no run. */
  readonly companion: boolean
  /** The format's members lie in the folder of the confirmation rerun and nowhere else; the others never do. */
  readonly ofConfirmation?: boolean
  /** A member without anything in it says something too. */
  readonly mayBeEmpty?: boolean
  /** Files with the same contents in different folders are of different benchmarks or sides, and no copies. */
  readonly mayRepeat?: boolean
  /** The name of the format's members, for messages. */
  readonly looksFor: string
  /** The format's files can be of one side each, given as `--old FILE --new FILE`. */
  readonly oneSided: boolean
  /** The format's files are of one side each and don't say of which: the caller does, or their path. */
  readonly needsSide?: boolean
  /** The metrics that decide where nobody chose one: the first that was measured. Absent: `PRIMARY_METRIC`. */
  readonly decides?: readonly string[]
  /** How its tool ends before its time, so that what comes after has no result. */
  readonly endsEarly?: string
  /** Its tests are programs: where each side has one, and another one, they are compared with each other. */
  readonly comparesPrograms?: boolean
  /** It has a line for each metric of each query: those of metrics that nobody asked for are not read. */
  readonly fields?: TableFields
  matchesName(fileName: string): NameMatch
  /** Whether these first characters of a file (up to some thousand) can be of this format. */
  matchesContent(head: string): boolean
  /** The subject that only one member of a run may be about, such as a test; null where members add up. */
  claim(fileName: string): string | null
  /** A promise where the reader is loaded when it is needed: a command must not wait for the readers of all formats. */
  reader(context: ReaderContext): MemberReader | Promise<MemberReader>
}
