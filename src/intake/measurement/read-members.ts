import { crc32 } from 'node:zlib'
import { isActionsLog, withoutStamps } from './actions-log.ts'
import type { Budget } from './budget.ts'
import { type Contribution, type Format, MemberError, type MemberReader, NO_SIDE, NOTHING } from './formats/format.ts'
import { withoutColours } from './formats/output-lines.ts'
import { withoutPreamble } from './formats/whole-text.ts'
import { type Interest, withoutCompression } from './interest.ts'
import { isBrokenJson, isJson } from './is-json.ts'
import { LimitReached } from './limits.ts'
import { linesOf, readLines } from './lines.ts'
import { SourceMetrics } from './metric-table.ts'
import { looksLike, nearMiss } from './near-miss.ts'
import { peek } from './peek.ts'
import { PRIMARY_METRIC, type RunContents, type Side } from './run.ts'
import { contentsOf, type ReadMember } from './run-of-members.ts'
import { sideOfName, withoutSideWords } from './side-of-name.ts'
import { baseName, type FailedMember, type Member, SourceError, type SourceItem } from './source.ts'
import { SourceStacks } from './stack-counts.ts'
import { asUtf8 } from './utf8.ts'
import { Warnings } from './warnings.ts'

/** The characters that are looked at to tell a format by its contents. */
const HEAD_BYTES = 4096
/** In the log of a job much stands before what a benchmark printed: so much of it is looked through. */
const LOG_HEAD_BYTES = 1024 * 1024

interface Asked {
  /** The one that decides; `PRIMARY_METRIC` where not given. */
  readonly primaryMetric?: string | undefined
  /** Metrics to read of tables that have a line for each; absent: all. */
  readonly metrics?: ReadonlySet<string> | undefined
  /** `ReadOptions.byMetric` */
  readonly byMetric?: boolean | undefined
  /** No file says its side, and the caller takes all for the new one. */
  readonly isSideAssumed?: boolean
}

/**
 * Reads the members of a source in one pass: each known one goes to the reader of its format. Throws `SourceError` when
 * there is none, or when a file that the caller named cannot be read; everything else that is wrong is a warning.
 */
export async function readMembers(
  source: string,
  items: AsyncIterable<SourceItem>,
  interest: Interest,
  budget: Budget,
  asked: Asked = {},
): Promise<RunContents> {
  const pass = new Pass(interest, budget, asked)
  try {
    for await (const item of items) {
      if ('failed' in item) pass.fail(item)
      else await pass.read(item)
    }
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    pass.stopped(source, error)
  }
  return pass.finish(source)
}

class Pass {
  readonly #interest: Interest
  readonly #budget: Budget
  readonly #asked: Asked
  #othersUnread = false
  readonly #warnings: Warnings
  readonly #stacks: SourceStacks
  readonly #metrics: SourceMetrics
  readonly #told = new WeakSet<LimitReached>()
  readonly #members: ReadMember[] = []
  /** The member of each subject (a test of a format) or, without one, of each check sum of contents. */
  readonly #taken = new Map<string, string>()
  /** Members that were passed over since they were there already, by folder. */
  readonly #copies = new Map<string, { count: number; readonly where: string; readonly holder: string }>()
  /** Files of a side that gave nothing, and paths of those that gave something, without the words that name the side. */
  readonly #hollow: { readonly side: Side; readonly name: string; readonly where: string; readonly why: string }[] = []
  readonly #giving: Readonly<Record<Side, Set<string>>> = { old: new Set(), new: new Set() }
  #failure: string | null = null

  constructor(interest: Interest, budget: Budget, asked: Asked) {
    this.#interest = interest
    this.#budget = budget
    this.#asked = asked
    this.#warnings = new Warnings(budget.limits.warnings)
    this.#stacks = new SourceStacks(budget.limits)
    this.#metrics = new SourceMetrics(budget.limits)
  }

  /** Reads one member to its end. Throws `LimitReached` when nothing more of the source is to be read. */
  async read(member: Member): Promise<void> {
    this.#budget.member()
    const { where } = member
    const { head, bytes } = await this.#open(member)
    const { empty } = this.#interest
    const format = head === null ? null : this.#formatOf(member, head)
    if (format === null) {
      if (this.#interest.empty > empty) this.#warnings.add('unreadable-member', where, null, EMPTY)
      else if (head !== null) this.#withoutResults(member, notKnown(member, head))
      return
    }
    if (member.side !== null && !format.oneSided) throw bothSides(format, where)
    const side = member.side ?? sideOfPath(member)
    if (format.needsSide === true && side === null) {
      this.#refuse(member, `${format.name} ${NO_SIDE}`)
      return
    }
    const claim = claimOf(format, member)
    if (claim !== null && this.#isCopy(claim, where)) return

    const measured = new MeasuredBytes(bytes, this.#budget.limits.memberBytes, claim === null)
    const reader = await this.#readerOf(format, member)
    let stop: LimitReached | null = null
    let contribution: Contribution
    try {
      await this.#readLines(this.#wantedLines(measured.read(), format), reader, where)
      contribution = reader.end(false)
    } catch (error) {
      if (error instanceof MemberError) {
        const near = nearMiss(new TextDecoder().decode(head))
        this.#refuse(member, near === null ? error.message : `${error.message}; it looks like ${near}`)
        return
      }
      if (!(error instanceof LimitReached)) {
        this.#unreadable(member, error)
        return
      }
      stop = error
      try {
        contribution = reader.end(true)
      } catch (unfinished) {
        if (!(unfinished instanceof MemberError)) throw unfinished
        // a document that was read in part says nothing
        this.#refuse(member, error.message)
        if (error.stopsSource) throw error
        return
      }
      this.stopped(where, error)
    }

    if (contribution === NOTHING) {
      // another program's file of that name
      this.#interest.passOver(member.name, null)
      this.#withoutResults(member, NO_RESULTS)
      return
    }

    // members that may add up are told from copies of each other by their contents
    // (counters that don't vary give equal files, and a person who names two means both)
    const named = format.mayRepeat === true || (format.needsSide === true && member.direct) ? where : ''
    const identity = claim ?? `contents ${format.looksFor} ${side} ${named} ${measured.size} ${measured.sum}`
    if (this.#isCopy(identity, where)) return
    this.#taken.set(identity, where)
    if (measured.size === 0 && format.mayBeEmpty !== true) {
      this.#warnings.add('unreadable-member', where, null, EMPTY)
    } else if (!format.companion && saysNothing(contribution)) {
      this.#withoutResults(member, NO_RESULTS)
    }
    this.#members.push({ name: member.name, where, format, contribution })
    if (side !== null && !format.companion && !saysNothing(contribution)) {
      this.#giving[side].add(withoutSideWords(member.name))
    }
    if (stop?.stopsSource === true) throw stop
  }

  #readerOf(format: Format, member: Member): MemberReader | Promise<MemberReader> {
    const { name, where, side, sideOfRoot = null } = member
    const { faults: mostFaults } = this.#budget.limits
    let faults = 0
    return format.reader({
      fileName: fileNameOf(name),
      path: name,
      where,
      side,
      sideOfName: sideOfPath(member),
      sideOfRoot,
      budget: this.#budget,
      stacks: this.#stacks,
      metrics: this.#metrics,
      warn: (code, line, message) => {
        this.#warnings.add(code, where, line, message)
        faults += 1
        // once: a reader says at its end what it made of the rest
        if (faults === mostFaults + 1) throw new LimitReached('faults', mostFaults, false)
      },
    })
  }

  #wantedLines(bytes: AsyncIterable<Uint8Array>, { fields }: Format): AsyncIterable<Uint8Array> {
    const { metrics } = this.#asked
    if (metrics === undefined || fields === undefined) return bytes
    return linesOf(bytes, fields, metrics, () => {
      this.#othersUnread = true
    })
  }

  async #readLines(bytes: AsyncIterable<Uint8Array>, reader: MemberReader, where: string): Promise<void> {
    if (reader.chunk !== undefined) {
      for await (const chunk of bytes) reader.chunk(chunk)
      return
    }
    const isWhole = reader.lineLength !== undefined
    const { lineLength = this.#budget.limits.lineLength } = reader
    await readLines(
      bytes,
      lineLength,
      (line, number, ended) => {
        this.#budget.line()
        reader.line(line, number, ended)
      },
      (number) => {
        if (isWhole) throw new MemberError(`it has more than ${lineLength.toLocaleString('en')} characters`)
        const message = `the line is longer than ${lineLength.toLocaleString('en')} characters: skipped`
        this.#warnings.add('limit-reached', where, number, message)
      },
    )
  }

  /** The member is not used. A file that the caller named is an error then. */
  #refuse({ where, direct }: Member, message: string): void {
    if (direct) throw new SourceError('unreadable', `${where}: ${message}`)
    this.#warnings.add('unreadable-member', where, null, `${message}: skipped`)
    this.#failure ??= `${where}: ${message}`
  }

  /** Another member has said the same already: the first stands. */
  #isCopy(identity: string, where: string): boolean {
    const holder = this.#taken.get(identity)
    if (holder !== undefined) this.#refuseCopy(where, holder)
    return holder !== undefined
  }

  /** A folder that stands beside an archive of itself gives one warning, not one for each file. */
  #refuseCopy(where: string, holder: string): void {
    const folder = where.slice(0, where.lastIndexOf('/') + 1)
    const copies = this.#copies.get(folder)
    if (copies === undefined) this.#copies.set(folder, { count: 1, where, holder })
    else copies.count += 1
  }

  #warnOfCopies(): void {
    for (const { count, where, holder } of this.#copies.values()) {
      const more = count === 1 ? '' : `, like ${count === 2 ? '1 more file' : `${count - 1} more files`} beside it`
      this.#warnings.add('refused-member', where, null, `already read from ${holder}: the first one counts${more}`)
    }
  }

  #withoutResults(member: Member, why: string): void {
    const side = member.side ?? sideOfPath(member)
    if (side === null || this.#hollow.length >= this.#budget.limits.warnings) return
    this.#hollow.push({ side, name: withoutSideWords(member.name), where: member.where, why })
  }

  /**
   * Results of one build are there and hold nothing: an empty `new/1.txt` beside an `old/1.txt`, or any file where its side has no other. Not:
   * `new/notes.txt` beside others.
   */
  #warnOfHollow(): void {
    for (const { side, name, where, why } of this.#hollow) {
      const others = this.#giving[side === 'old' ? 'new' : 'old']
      if (!others.has(name) && (others.size === 0 || this.#giving[side].size > 0)) continue
      this.#warnings.add('unreadable-member', where, null, `${why}, so results of the ${side} build are missing`)
    }
  }

  fail(item: FailedMember): void {
    this.#warnings.add(item.failed, item.where, null, item.message)
    this.#failure ??= `${item.where}: ${item.message}`
    if (!item.spoiled) return
    const spoiled = (member: ReadMember): boolean => item.name === '' || member.name.startsWith(`${item.name}/`)
    for (let index = this.#members.length - 1; index >= 0; index -= 1) {
      if (spoiled(this.#members[index]!)) this.#members.splice(index, 1)
    }
  }

  /** Says once that a limit was hit. */
  stopped(where: string, error: LimitReached): void {
    if (this.#told.has(error)) return
    this.#told.add(error)
    this.#warnings.add('limit-reached', where, null, error.message)
    // what ended the reading says more than the first file that could not be read
    if (error.stopsSource || this.#failure === null) this.#failure = `${where}: ${error.message}`
  }

  finish(source: string): RunContents {
    const essential = this.#members.some(
      ({ format, contribution }) => !format.companion || contribution.testErrors.length > 0 || hasRows(contribution),
    )
    if (!essential) {
      if (this.#failure !== null) throw new SourceError('unreadable', `${this.#failure} (nothing else could be read)`)
      const unmeasured = this.#members.flatMap(({ contribution }) => contribution.turns?.unmeasured ?? [])[0]
      if (unmeasured !== undefined)
        throw new SourceError(
          'no-measurements',
          `${source}: ${unmeasured.message}`,
          unmeasured.message,
          unmeasured.reason,
        )
      const reason = this.#interest.explain()
      throw new SourceError('no-measurements', `${source}: no measurements; ${reason}`, reason)
    }
    this.#warnOfCopies()
    this.#warnOfHollow()
    this.#stacks.finish()
    const contents = contentsOf(this.#members, {
      primaryMetric: this.#asked.primaryMetric ?? PRIMARY_METRIC,
      metrics: this.#asked.metrics,
      byMetric: this.#asked.byMetric ?? false,
      isSideAssumed: this.#asked.isSideAssumed ?? false,
      budget: this.#budget,
      warnings: this.#warnings,
    })
    return this.#othersUnread ? { ...contents, othersUnread: true } : contents
  }

  async #open(member: Member): Promise<{ head: Uint8Array | null; bytes: AsyncIterable<Uint8Array> }> {
    try {
      const peeked = await peek(asUtf8(member.bytes), HEAD_BYTES)
      if (!isActionsLog(new TextDecoder('utf-8').decode(peeked.head))) return peeked
      return await peek(withoutStamps(peeked.bytes), LOG_HEAD_BYTES)
    } catch (error) {
      if (error instanceof LimitReached) {
        this.stopped(member.where, error)
        if (error.stopsSource) throw error
      } else {
        this.#unreadable(member, error)
      }
      return { head: null, bytes: member.bytes }
    }
  }

  #formatOf(member: Member, head: Uint8Array): Format | null {
    const candidates = this.#interest.candidates(member.name, member.direct)
    const fileName = fileNameOf(member.name)
    const sure = candidates.find((format) => format.matchesName(fileName) === 'yes')
    if (sure !== undefined) return sure
    const text = withoutPreamble(withoutColours(new TextDecoder('utf-8').decode(head)))
    const heads = headsOf(text)
    const format = candidates.find((candidate) => heads.some((part) => candidate.matchesContent(part)))
    if (format !== undefined) return format
    const [pinned, ...others] = this.#interest.formats.filter(({ companion }) => !companion)
    if (member.direct && pinned !== undefined && others.length === 0 && head.length > 0) return pinned
    if (member.direct) {
      if (QUERY_LOG_COLUMN.test(text)) throw new SourceError('no-measurements', `${member.where}: ${QUERY_LOG_WORDS}`)
      throw new SourceError(
        'no-measurements',
        `${member.where}: ${notKnown(member, head)}; supported formats: ${this.#interest.names()}`,
      )
    }
    this.#interest.passOver(member.name, text)
    return null
  }

  /** A member whose bytes ended in an error: what came out of it is not believed. */
  #unreadable(member: Member, error: unknown): void {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    if (!(error instanceof Error)) throw error
    const message = `can’t be read: ${error.message}`
    this.#warnings.add('unreadable-member', member.where, null, message)
    this.#failure ??= `${member.where}: ${message}`
  }
}

/** Under live traffic there are no repetitions: such rows are no run, and one format that is asked for by its name. */
const QUERY_LOG_COLUMN = /^\s*\[?\s*\{[^\n]*"query_duration_ms"|^[^\n{]*\bquery_duration_ms\b/
const QUERY_LOG_WORDS =
  'these are rows of system.query_log; give --format query-log, and --side FIELD=OLD,NEW to tell the sides apart'

/** The text, or the parts of a long one, each as long as what is looked at of any file, that begin with a line. */
function headsOf(text: string): readonly string[] {
  const heads: string[] = []
  for (let at = 0; at < text.length || heads.length === 0; ) {
    const end = text.length - at <= HEAD_BYTES ? text.length : text.lastIndexOf('\n', at + HEAD_BYTES) + 1
    const next = end > at ? end : at + HEAD_BYTES
    heads.push(text.slice(at, next))
    at = next
  }
  return heads
}

const EMPTY = 'the file is empty'
const NO_RESULTS = 'there are no results in it'

/** Why a file that is of no format can't be read. */
function notKnown({ name }: Member, head: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(head)
  if (text === '') return EMPTY
  if (text.trim() === '') return 'there is only white space in it'
  if (head.length < HEAD_BYTES && isBrokenJson(text)) return 'this is not whole JSON: it was cut off, or is damaged'
  if (head.length < HEAD_BYTES && isJson(text) && !/\d/.test(text)) return NO_RESULTS
  return `no known format: it looks like ${looksLike(fileNameOf(name), text)}`
}

function saysNothing({ drafts, testErrors, part, own, stacks, metrics }: Contribution): boolean {
  const isEmpty = ({ old, new: fresh, problems }: Contribution['drafts'][number]) =>
    old.values.length + fresh.values.length + problems.length === 0
  return (
    [part, own, stacks, metrics].every((one) => one === undefined) && testErrors.length === 0 && drafts.every(isEmpty)
  )
}

/** A table of a report, with a line for each query, says what was measured. */
function hasRows({ own }: Contribution): boolean {
  return own?.kind === 'rows' && own.rows.length > 0
}

function bothSides({ name }: Format, where: string): SourceError {
  const message = `the format ${name} has both sides in one file; give it as PATH, without --old or --new`
  return new SourceError('usage', `${where}: ${message}`)
}

function sideOfPath({ name, sideOfRoot = null }: Member): Side | null {
  return sideOfName(name) ?? sideOfRoot
}

/** The member's file name without its folders and the ending of a compression. */
function fileNameOf(name: string): string {
  return withoutCompression(baseName(name))
}

/** The subject that no other member may be about, as a key; null where members add up. */
function claimOf(format: Format, { name }: Member): string | null {
  const claimed = format.claim(fileNameOf(name))
  return claimed === null ? null : `${format.name} ${format.looksFor} ${claimed}`
}

/** The bytes of a member with their number so far, and their check sum where it is wanted; beyond the limit they throw `LimitReached`. */
class MeasuredBytes {
  readonly #bytes: AsyncIterable<Uint8Array>
  readonly #limit: number
  readonly #isSummed: boolean
  size = 0
  sum = 0

  constructor(bytes: AsyncIterable<Uint8Array>, limit: number, isSummed: boolean) {
    this.#bytes = bytes
    this.#limit = limit
    this.#isSummed = isSummed
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#bytes) {
      this.size += chunk.length
      if (this.size > this.#limit) throw new LimitReached('memberBytes', this.#limit, false)
      if (this.#isSummed) this.sum = crc32(chunk, this.sum)
      yield chunk
    }
  }
}
