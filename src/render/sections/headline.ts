import type { ReportRow } from '../../triage/report.ts'
import { failingLine } from '../failing-line.ts'
import { VERDICT_WORDS } from '../glossary.ts'
import type { Section } from '../layout.ts'
import { shortCommit } from '../markdown.ts'
import { count, counted, list } from '../numbers.ts'
import { hasResults, type View, withVerdict } from '../view.ts'

/** The verdict in one line, counted from the rows it stands over. Because of this change only where the trunk's history says so. */
export const headline: Section = {
  name: 'headline',
  priority: 0,
  reserve: 0,
  render: (view) => {
    const now = view.pending
    const where = now === null ? '' : `; ${shortCommit(now.head)} is being measured`
    return `### ${verdictLine(view)}${now === null ? '' : ` at ${shortCommit(view.report.head)}`}${where}`
  },
}

/**
 * `7 queries measured slower, 21 faster; 2 of these need a rerun; of 4 failing tests 1 may be yours, 3 are chronic`: plain
 * words without anything from outside.
 */
export function verdictLine(view: View): string {
  const tests = view.failing === null ? '' : failingLine(view.failing)
  if (tests === '') return measuredLine(view, 'results')
  // Where nothing was to be measured the failing tests are all there is.
  if (!hasResults(view.report) && view.report.complete && view.shards.total === 0) return capital(tests)
  return `${measuredLine(view, 'performance results')}; ${tests}`
}

function measuredLine(view: View, results: string): string {
  const { report, changed, shards } = view
  if (!hasResults(report)) return `No ${results}${report.complete ? '' : ' yet'}`

  const measured = changedWords(changed.slower.length, becauseOfChange(view), changed.faster.length)
  const then = [...openWords(view), ...explainedWords(view)]
  if (measured === null && then.length === 0) {
    if (!report.complete) return 'Nothing measured slower or faster so far'
    return shards.lost.length > 0
      ? 'Nothing measured slower or faster in what was measured'
      : 'Nothing measured slower or faster'
  }
  const line = [measured, list(then)].filter((part) => part).join('; ')
  return report.complete ? line : `So far ${line}`
}

/** How many of the slower ones are because of this change. */
function becauseOfChange({ changed }: View): number {
  return changed.slower.filter((row) => row.becauseOfChange === true).length
}

function changedWords(slower: number, because: number, faster: number): string | null {
  if (slower === 0 && faster === 0) return null
  if (slower === 0) return `${counted(faster, 'query', 'queries')} measured faster, none slower`
  const measured = `${counted(slower, 'query', 'queries')} measured slower`
  const which = because === slower ? ' because' : `, ${count(because)} of them because`
  const words = because === 0 ? measured : `${measured}${which} of this change`
  return faster === 0 ? words : `${words}, ${count(faster)} faster`
}

function openWords({ open, changed }: View): string[] {
  const reruns = withVerdict(open, 'needs-rerun')
  const ofThese = reruns.filter((row) => row.outcome === 'changed')
  const more = reruns.length - ofThese.length
  const words: string[] = []
  if (ofThese.length > 0) words.push(`${subset(ofThese, changed)} ${ofThese.length === 1 ? 'needs' : 'need'} a rerun`)
  if (more > 0) {
    const isMore = changed.slower.length + changed.faster.length > 0
    const who = isMore ? `${count(more)} more` : counted(more, 'query', 'queries')
    words.push(`${who} may be much slower and ${more === 1 ? 'needs' : 'need'} a rerun`)
  }
  return words
}

function explainedWords({ report, changed }: View): string[] {
  return EXPLAINED.flatMap(([verdict, words]) => {
    const rows = withVerdict(report.rows, verdict)
    return rows.length === 0 ? [] : [`${subset(rows, changed)} ${rows.length === 1 ? 'is' : 'are'} ${words}`]
  })
}

const EXPLAINED = (['likely-noise', 'already-on-trunk', 'acknowledged'] as const).map(
  (verdict) => [verdict, VERDICT_WORDS[verdict].term] as const,
)

/** `2 of these`, `5 of the faster`, `it`, `both`, `all`: which of the changed ones. */
function subset(rows: readonly ReportRow[], { slower, faster }: View['changed']): string {
  const total = slower.length + faster.length
  if (rows.length === total) return total === 1 ? 'it' : total === 2 ? 'both' : 'all'
  const isMixed = slower.length > 0 && faster.length > 0
  const directions = new Set(rows.map(({ direction }) => direction))
  const [only] = directions
  if (!isMixed || directions.size > 1 || !only) return `${count(rows.length)} of these`
  const ofIt = only === 'slower' ? slower.length : faster.length
  return rows.length === ofIt ? `the ${only}` : `${count(rows.length)} of the ${only}`
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
