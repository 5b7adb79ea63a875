import { crc32 } from 'node:zlib'
import type { Budget } from './budget.ts'
import { confirmationsOf } from './confirmations.ts'
import { type Draft, type DraftId, draftKey } from './draft.ts'
import { clickhouseRaw } from './formats/clickhouse-raw.ts'
import type { Contribution, Format } from './formats/format.ts'
import { type Interest, withoutCompression } from './interest.ts'
import { LimitReached } from './limits.ts'
import { readLines } from './lines.ts'
import { baseName, type FailedMember, type Member, type SourceItem } from './member.ts'
import { metricMeasurements, type RawQuery } from './metric-measurements.ts'
import { SourceMetrics } from './metric-table.ts'
import { peek } from './peek.ts'
import { profilesOf } from './profiles.ts'
import { ordinals } from './query-hash.ts'
import { type Measurement, PRIMARY_METRIC, type RunContents } from './run.ts'
import { SourceError } from './source-error.ts'
import { SourceStacks } from './stack-counts.ts'
import { attachTestErrors } from './test-errors.ts'
import { Warnings } from './warnings.ts'

/** The characters that are looked at to tell a format by its contents. */
const HEAD_BYTES = 4096

/** A member that was read. */
interface ReadMember {
  readonly name: string
  readonly where: string
  readonly format: Format
  readonly contribution: Contribution
}

/**
 * Reads the members of a source in one pass: each known one goes to the reader of its format. Throws `SourceError` when
 * there is none, or when a file that the caller named cannot be read; everything else that is wrong is a warning.
 * `primaryMetric` is the one that decides.
 */
export async function readMembers(
  source: string,
  items: AsyncIterable<SourceItem>,
  interest: Interest,
  budget: Budget,
  primaryMetric = PRIMARY_METRIC,
): Promise<RunContents> {
  const pass = new Pass(interest, budget, primaryMetric)
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
  readonly #primaryMetric: string
  readonly #warnings: Warnings
  readonly #stacks: SourceStacks
  readonly #metrics: SourceMetrics
  readonly #told = new WeakSet<LimitReached>()
  readonly #members: ReadMember[] = []
  /** Claim (a test of a format) and check sum of contents, each with the member that has it. */
  readonly #taken = new Map<string, string>()
  /** Members that were passed over since they were there already, by folder. */
  readonly #copies = new Map<string, { count: number; readonly where: string; readonly holder: string }>()
  #failure: string | null = null

  constructor(interest: Interest, budget: Budget, primaryMetric: string) {
    this.#interest = interest
    this.#budget = budget
    this.#primaryMetric = primaryMetric
    this.#warnings = new Warnings(budget.limits.warnings)
    this.#stacks = new SourceStacks(budget.limits)
    this.#metrics = new SourceMetrics(budget.limits)
  }

  /** Reads one member to its end. Throws `LimitReached` when nothing more of the source is to be read. */
  async read(member: Member): Promise<void> {
    this.#budget.member()
    const { head, bytes } = await this.#open(member)
    const format = head === null ? null : this.#formatOf(member, head)
    if (format === null) return
    if (member.side !== null && !format.oneSided) {
      throw new SourceError(
        'usage',
        `${member.where}: the format ${format.name} has both sides in one file; give it as PATH, without --old and --new`,
      )
    }
    const fileName = withoutCompression(baseName(member.name))
    const claimed = format.claim(fileName)
    const claim = claimed === null ? null : `${format.name} ${format.looksFor} ${claimed}`
    const holder = claim === null ? undefined : this.#taken.get(claim)
    if (holder !== undefined) {
      this.#refuseCopy(member.where, holder)
      return
    }
    const { where, side } = member
    const reader = format.reader({
      fileName,
      where,
      side,
      budget: this.#budget,
      stacks: this.#stacks,
      metrics: this.#metrics,
      warn: (code, line, message) => this.#warnings.add(code, where, line, message),
    })

    let size = 0
    let sum = 0
    const measured = async function* (limit: number): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        size += chunk.length
        if (size > limit) throw new LimitReached('memberBytes', limit, false)
        sum = crc32(chunk, sum)
        yield chunk
      }
    }
    let stop: LimitReached | null = null
    try {
      await readLines(
        measured(this.#budget.limits.memberBytes),
        this.#budget.limits.lineLength,
        (line, number, ended) => reader.line(line, number, ended),
        (number) => {
          const message = `the line is longer than ${this.#budget.limits.lineLength.toLocaleString('en')} characters: not read`
          this.#warnings.add('limit-reached', where, number, message)
        },
      )
    } catch (error) {
      if (!(error instanceof LimitReached)) {
        this.#unreadable(member, error)
        return
      }
      stop = error
      this.stopped(where, error)
    }

    // members that may add up are told from copies of each other by their contents
    const taken = claim ?? `contents ${format.looksFor} ${size} ${sum}`
    const same = this.#taken.get(taken)
    if (same !== undefined) {
      this.#refuseCopy(where, same)
      return
    }
    this.#taken.set(taken, where)
    if (size === 0 && format.mayBeEmpty !== true)
      this.#warnings.add('unreadable-member', where, null, 'the file is empty')
    this.#members.push({ name: member.name, where, format, contribution: reader.end(stop !== null) })
    if (stop?.stopsSource === true) throw stop
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
      this.#warnings.add('refused-member', where, null, `read from ${holder} already: the first stands${more}`)
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
      ({ format, contribution }) => !format.companion || contribution.testErrors.length > 0,
    )
    if (!essential) {
      if (this.#failure !== null) throw new SourceError('unreadable', `${this.#failure} (nothing else could be read)`)
      throw new SourceError('no-measurements', `${source}: no measurements; ${this.#interest.explain()}`)
    }
    this.#warnOfCopies()
    const drafts = this.#merge()
    const errors = this.#members.flatMap(({ contribution }) => contribution.testErrors)
    attachTestErrors(errors, drafts, this.#budget, this.#warnings)
    const confirmations = confirmationsOf(this.#members.flatMap(({ contribution }) => contribution.rerun ?? []))
    const finishedDrafts = finished([...drafts.values()])
    const measured = [...finishedDrafts.values()]
    const measurements = [...measured, ...this.#metricsOf(drafts, finishedDrafts, measured)].sort(compareMeasurements)
    const stacks = this.#members.flatMap(({ contribution }) => contribution.stacks ?? [])
    this.#stacks.finish()
    const profiles = profilesOf(stacks, measured, this.#warnings)
    return {
      measurements,
      oldCommit: this.#commit('oldCommit'),
      newCommit: this.#commit('newCommit'),
      warnings: this.#warnings.list(),
      ...(confirmations.length > 0 && { confirmations }),
      ...(profiles.length > 0 && { profiles }),
    }
  }

  async #open(member: Member): Promise<{ head: Uint8Array | null; bytes: AsyncIterable<Uint8Array> }> {
    try {
      return await peek(member.bytes, HEAD_BYTES)
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
    const fileName = withoutCompression(baseName(member.name))
    const sure = candidates.find((format) => format.matchesName(fileName) === 'yes')
    if (sure !== undefined) return sure
    const text = new TextDecoder('utf-8').decode(head)
    const format = candidates.find((candidate) => candidate.matchesContent(text))
    if (format !== undefined) return format
    if (member.direct) {
      const known = this.#interest.formats.filter(({ companion }) => !companion).map(({ name }) => name)
      const what = head.length === 0 ? 'the file is empty' : `neither name nor contents are of a known format`
      throw new SourceError('no-measurements', `${member.where}: ${what} (${known.join(', ')})`)
    }
    this.#interest.passOver(member.name)
    return null
  }

  /** A member whose bytes ended in an error: what came out of it is not believed. */
  #unreadable(member: Member, error: unknown): void {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    if (!(error instanceof Error)) throw error
    const message = `cannot be read: ${error.message}`
    this.#warnings.add('unreadable-member', member.where, null, message)
    this.#failure ??= `${member.where}: ${message}`
  }

  #merge(): Map<string, Draft> {
    const drafts = new Map<string, Draft>()
    for (const { where, contribution } of this.#members) {
      for (const draft of contribution.drafts) {
        const key = draftKey(draft)
        const known = drafts.get(key)
        if (known === undefined) {
          drafts.set(key, draft)
        } else if (known.unit !== draft.unit) {
          const units = `${draft.unit ?? 'no unit'} where it has ${known.unit ?? 'no unit'} before`
          this.#warnings.add('invalid-value', where, null, `${draft.test} in ${units}: not read`)
        } else {
          const duplicates = known.old.addAll(draft.old) + known.new.addAll(draft.new)
          if (duplicates > 0) {
            const message = `${duplicates} repetitions of ${draft.test} are there already: the first stand`
            this.#warnings.add('duplicate-sample', where, null, message)
          }
        }
      }
    }
    return drafts
  }

  /** The metrics that stand beside the raw files. */
  #metricsOf(
    drafts: ReadonlyMap<string, Draft>,
    finishedDrafts: ReadonlyMap<Draft, Measurement>,
    measurements: readonly Measurement[],
  ): Measurement[] {
    const files = this.#members.flatMap(({ contribution }) => contribution.metrics ?? [])
    if (files.length === 0) return []
    const raw = new Map<Draft, RawQuery>()
    for (const { format, contribution } of this.#members) {
      if (format !== clickhouseRaw) continue
      for (const draft of contribution.drafts) {
        const measurement = finishedDrafts.get(draft)
        if (measurement === undefined) continue
        raw.set(draft, { measurement, placeOf: (side, id) => draft[side].placeOf(id) })
      }
    }
    // in the order of the measurements: where there are too many, those of the last queries are left out
    const inOrder = [...finishedDrafts.keys()].flatMap((draft) => raw.get(draft) ?? [])
    const has = (measurement: Measurement, metric: string) => drafts.has(draftKey({ ...measurement, metric }))
    const beside = { primaryMetric: this.#primaryMetric, has, measurements }
    return metricMeasurements(files, inOrder, beside, this.#budget.limits, this.#warnings)
  }

  #commit(which: 'oldCommit' | 'newCommit'): string | null {
    for (const { contribution } of this.#members) {
      if (contribution[which] !== null) return contribution[which]
    }
    return null
  }
}

/** The measurements in an order that does not depend on how the source was packed. */
function finished(drafts: Draft[]): Map<Draft, Measurement> {
  drafts.sort(compareMeasurements)
  const ordinalOf = ordinals(drafts)
  return new Map(drafts.map((draft) => [draft, draft.finish(ordinalOf(draft))]))
}

function compareMeasurements(a: DraftId, b: DraftId): number {
  return (
    compareText(a.test, b.test) ||
    (a.queryIndex ?? -1) - (b.queryIndex ?? -1) ||
    compareText(a.queryName ?? '', b.queryName ?? '') ||
    compareText(a.metric, b.metric) ||
    compareText(a.architecture ?? '', b.architecture ?? '')
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
