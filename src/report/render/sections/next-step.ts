import { differingFields, type Environments, ofOtherMachines } from '../../../intake/measurement/environment.ts'
import { shortFunctionName } from '../../../judge/profile/function-name.ts'
import { slowdownOf } from '../../../judge/verdict/direction.ts'
import type { Evidence } from '../../../judge/verdict/evidence/evidence.ts'
import { AGREEING_PROCESSES } from '../../../judge/verdict/evidence/one-process.ts'
import { NEEDED_REPETITIONS } from '../../../judge/verdict/evidence/own-measurement.ts'
import { ENOUGH_PROCESSES } from '../../../judge/verdict/processes.ts'
import { codeSpan, link, MESSAGE_LIMIT, NAME_LIMIT, shortCommit } from '../../../text/markdown.ts'
import { count, counted, list, signedPercent } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { waitsForPerson } from '../../check-conclusion.ts'
import { asksAgain, decisive, hasResults, nounsOf, shardTally, withVerdict } from '../../parts.ts'
import type { ReportRow, Shard, ShardProblem, TriageReport, WrongBuilds } from '../../report.ts'
import { queryCode, rowName } from '../../row/name.ts'
import { WARNING_WORDS } from '../../words.ts'
import { architectureList, evidenceOf, medians, noteWords, onArchitecture } from '../facts.ts'
import type { Section } from '../layout.ts'
import { repetitionsSentence } from '../noise-words.ts'
import { isMostlyNoise, measuredOnce, shardsIn, type View } from '../view.ts'
import { failingSteps } from './failing-steps.ts'
import { failedGroups, isOneProgram, runName } from './headline.ts'

/** What this reader does now: a paragraph, or numbered where there is much; they follow from the evidence. */
export const nextStep: Section = {
  name: 'next-step',
  priority: 1,
  reserve: 0,
  render: (view) => numbered(view.pending === null ? steps(view) : [waitFor(view.pending.head, view)]),
}

/** The part of it that is of shards without results, where nothing else is to be done. */
export const lostStep: Section = {
  name: 'lost-step',
  priority: 1,
  reserve: 0,
  render: (view) => numbered(lostShards(view)),
}

/** More steps are a list. */
const OF_PARAGRAPH = 3

function numbered(sentences: readonly string[]): string {
  const all = sentences.map(capital)
  if (all.length <= OF_PARAGRAPH) return all.join(' ')
  return all.map((step, index) => `${index + 1}. ${step}`).join('\n')
}

function waitFor(head: string, { pending, report }: View): string {
  const shards = pending === null || pending.shards.length === 0 ? '' : `, ${shardsIn(shardTally(pending))}`
  return `wait for ${shortCommit(head)}${shards}. Until then this is what ${shortCommit(report.head)} measured.`
}

function steps(view: View): string[] {
  const { report, shards, open } = view
  const tests = failingSteps(view)
  if (!hasResults(report)) {
    const isNothing = report.complete && shards.lost.length === 0
    if (!tests.isToDo) return [withoutResults(view), ...tests.sentences]
    return isNothing ? [...tests.sentences] : [...tests.sentences, withoutResults(view)]
  }
  const isOfMachine = report.labels?.kind === 'machine'
  const regressions = isOfMachine ? [] : withVerdict(open, 'regression')
  const reruns = isOfMachine
    ? []
    : withVerdict(open, 'needs-rerun').filter((row) => !asksAgain(row) && !row.evidence.some(isApart))
  const said = [
    ...buildRight(view),
    ...readAgain(view),
    ...onOneMachine(view),
    ...(isOfMachine ? ofMachines(view) : []),
    ...lookAt(view, regressions),
    ...findOut(view),
    ...findOutWhySome(view),
    ...measureAgain(view),
    ...onceMore(view),
    ...rerun(view, reruns),
    ...(regressions.length === 0 ? runOnceMore(view) : settleOthers(view)),
    ...ofWholeRun(view),
  ]
  const isAsked = said.length === 0 && report.complete && waitsForPerson(report)
  if (isAsked) said.push(ASK)
  else if (said.length === 0 && !tests.isToDo) said.push(...calm(view))
  said.push(...tests.sentences)
  said.push(...lostShards(view))
  return said
}

const ASK = 'ask a maintainer to look at how it was measured.'

function withoutResults(view: View): string {
  if (!view.report.complete) return 'wait for the first shard.'
  return view.shards.lost.length === 0
    ? 'nothing to do: there was nothing to measure.'
    : lostShards(view).join('; ').replaceAll('.; ', '; ')
}

/** Where to begin where there are several; what stands in the table is not said here. */
function lookAt(view: View, regressions: readonly ReportRow[]): string[] {
  const [worst, ...others] = regressions
  if (worst === undefined) return []
  if (isOneProgram(view))
    return ['look at the metrics below: they say where the time went.', ...ownOrNot(view, regressions)]
  const first = others.length === 0 ? [] : [`start with ${rowName(view, worst)}.`]
  return [...first, ...lookAtFunction(worst), ...ownOrNot(view, regressions)]
}

/** The function that grew and that the change touches: where to look before anybody is asked. */
function lookAtFunction({ evidence }: ReportRow): string[] {
  const grown = evidence.find((item) => item.kind === 'on-path')?.functions[0]
  if (grown === undefined) return []
  const name = codeSpan(shortFunctionName(grown.name), NAME_LIMIT)
  return [grown.onlyFile === true ? `look at ${name}, whose file you changed.` : `look at your change to ${name}.`]
}

/** The rows say which machine to take, and nothing of a build. */
function ofMachines(view: View): string[] {
  const [worst] = view.slower
  const loss = worst === undefined ? '' : ` The largest loss is ${nameAndNumbers(view, worst)}.`
  const more =
    howOften(view.slower) ||
    (view.tooFew.length > 0 ? `, with at least ${NEEDED_REPETITIONS} repetitions per side` : '')
  const again = more === '' ? '' : ` Measure both machines again${more}.`
  return [`don’t judge a build by this: the sides ran on different machines.${loss}${again}`]
}

/** A later run that measured less takes nothing back. */
function measureAgain({ notMeasuredAgain: [first, ...others] }: View): string[] {
  if (first === undefined) return []
  const [more, them] = others.length === 0 ? ['', 'it'] : [` and ${counted(others.length, 'other', 'others')}`, 'them']
  return [
    `the job with ${queryCode(first)}${more} needs a rerun: an earlier run of this commit left ${them} open, and the last one didn’t measure ${them}.`,
  ]
}

/** One run against one: the third decides. */
function onceMore(view: View): string[] {
  const [first, ...others] = view.notSeenAgain
  if (first === undefined) return []
  const [more, them] = others.length === 0 ? ['', 'it'] : [` and ${counted(others.length, 'other', 'others')}`, 'them']
  return [
    `${runAgain(view)} to settle ${rowName(view, first)}${more}: an earlier run of this commit left ${them} open, and the last one doesn’t show ${them}. A second such run withdraws ${them}.`,
  ]
}

/** `fix the job: both of its builds are of `9c41d0e`` */
function buildRight({ report: { wrongBuilds = [] } }: View): string[] {
  return wrongBuilds.map(({ kind, commit }) => {
    const { what, since } = WRONG_BUILD_WORDS[kind]
    return `fix the job: ${what} of ${shortCommit(commit)}${since}, so the change was not measured.`
  })
}

const WRONG_BUILD_WORDS: Readonly<Record<WrongBuilds['kind'], { readonly what: string; readonly since: string }>> = {
  'same-commit': { what: 'both of its builds are', since: '' },
  'new-is-base': { what: 'its new build is', since: ', the base' },
  'new-is-other': { what: 'its new build is', since: ', which this head is not in' },
  'new-is-unknown': { what: 'its new build is', since: ', one of too many that the results name' },
}

function isApart({ kind }: Evidence): boolean {
  return kind === 'other-machine'
}

/** The same again would compare two machines again. */
function onOneMachine({ report: { environments, labels }, compared }: View): string[] {
  const [first] = ofOtherMachines(environments)
  if (first === undefined || compared === 0 || labels?.kind === 'machine') return []
  const fields = differingFields(first, 'machine')
  const how =
    fields.length > 1
      ? null
      : fields[0] === 'build'
        ? 'with the same build type'
        : fields[0] === 'cpus'
          ? 'with the same number of CPUs'
          : null
  return [`measure both builds ${how ?? 'on one machine'}: as it is, a difference says nothing about the change.`]
}

/** What was not read may be the worst of it. */
function readAgain({ unread: [first, ...others] }: View): string[] {
  if (first === undefined) return []
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'other warning', 'other warnings')}`
  return [
    `look at what the job uploads: not all of its results could be read (${codeSpan(first.where, NAME_LIMIT)}: ${WARNING_WORDS[first.code].term}${more}).`,
  ]
}

/** Why the new build does not run what the old one ran; of what failed somewhere only the log says where. */
function findOut(view: View): string[] {
  const { report } = view
  return failedGroups(view).map(({ build, rows: [first, ...others] }) => {
    const name = `${rowName(view, first!)}${others.length === 0 ? '' : ` and ${counted(others.length, 'other', 'others')}`}`
    const rows = [first!, ...others]
    if (build === 'new' && rows.every((row) => isOfOldAlone(row, report))) {
      const places = new Set(rows.flatMap(missingOn))
      // No tool said where it ran: a whole side is missing, not a machine.
      if (places.size === 1 && places.has(null))
        return 'provide results of the new build: only those of the old one were found.'
      return `measure the new build on ${architectureList([...places])} too: the old one was measured there.`
    }
    if (build === 'new' && rows.every((row) => isOfOtherCores(row, report)))
      return `measure both builds with the same number of CPUs: ${name} has a result for the old build only.`
    const reason = reasonOf(first!, report)
    return build === 'new'
      ? `find out why the new build has no result for ${name}${reason === null ? '' : `: ${reason}`}.`
      : `look in the job’s log: it says which build failed in ${name}.`
  })
}

/** What the source says of the failure, of the query before its test; null: nothing. */
function reasonOf({ test, queryName }: ReportRow, { warnings }: TriageReport): string | null {
  const errors = warnings.filter(({ code }) => code === 'run-error')
  const found =
    errors.find(({ message }) => queryName !== null && message.includes(queryName)) ??
    errors.find(({ message }) => message.startsWith(`${test}: `))
  return found === undefined ? null : codeSpan(found.message, MESSAGE_LIMIT)
}

/** How tools write the number of CPUs or threads behind a name: `-8`, `/threads:8`, `(threads = 8)`. */
const CORES = /-\d+$|\/threads:\d+$|\bthreads = \d+(?=[,)])/

/** The new build has the same benchmark with another number of CPUs: nothing failed. */
function isOfOtherCores({ test, queryName }: ReportRow, { rows }: TriageReport): boolean {
  if (queryName === null || !CORES.test(queryName)) return false
  const bare = queryName.replace(CORES, '')
  return rows.some((other) => {
    const isAlike = other.test === test && other.queryName?.replace(CORES, '') === bare
    return isAlike && other.results.every(({ status }) => status === 'only-new')
  })
}

/** Those that did not fail may be the ones that did less. */
function findOutWhySome(view: View): string[] {
  const [first, ...others] = view.partlyFailed
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` and of ${counted(others.length, 'other', 'others')}`
  return [`find out why some repetitions of ${rowName(view, first)}${more} fail in the new build.`]
}

/** What is missing was measured in an environment in which nothing of the new build was. */
function isOfOldAlone(row: ReportRow, { environments = [] }: TriageReport): boolean {
  const isAlone = ({ old, new: fresh }: Environments) => Object.keys(old).length > 0 && Object.keys(fresh).length === 0
  return missingOn(row).every((architecture) =>
    environments.some((one) => one.architecture === architecture && isAlone(one)),
  )
}

function missingOn({ results }: ReportRow): (string | null)[] {
  return results.flatMap(({ failedIn, architecture }) => (failedIn === 'new' ? [architecture] : []))
}

/** Against an old build from before the merge base the author can't know yet whether it is the change. */
function ownOrNot(
  { report, open, links: { commandPrefix, rerunsByHand } }: View,
  regressions: readonly ReportRow[],
): string[] {
  const worst = regressions[0]!
  const stale = worst.evidence.find((evidence) => evidence.kind === 'stale-reference')
  if (stale !== undefined) {
    const commits = counted(stale.commitsBeforeMergeBase, 'commit', 'commits')
    const base = codeSpan(report.pullRequest.baseRef, 40)
    return [`it may come from ${base}: the old build is ${commits} older than your merge base.`]
  }
  if (commandPrefix === undefined) return ['intended? Say why in the pull request.']
  const accept = `${commandPrefix} accept "reason"`
  const doubt =
    withVerdict(open, 'needs-rerun').length > 0
      ? ''
      : rerunsByHand
        ? ' Not convinced? Re-run the performance check.'
        : ` Not convinced? Ask one for ${codeSpan(`${commandPrefix} rerun`, 80)}.`
  return [`intended? Ask a maintainer for ${codeSpan(accept, 2 * NAME_LIMIT)}.${doubt}`]
}

function rerun(view: View, reruns: readonly ReportRow[]): string[] {
  const [first, ...others] = reruns
  if (first === undefined) return []
  const alone = reruns.length === view.open.length
  const what =
    others.length === 0
      ? rowName(view, first)
      : `the ${count(reruns.length)} that ${alone ? 'need it' : 'need a rerun'}`
  return [`${runAgain(view, link('performance check', onlyCheck(view, reruns)))} to settle ${what}${howOften(reruns)}.`]
}

/** The head alone was measured: one job asks, two that agree decide. */
function runOnceMore(view: View): string[] {
  const rows = view.open.filter(asksAgain)
  const [first, ...others] = rows
  if (first === undefined) return []
  const what = others.length === 0 ? rowName(view, first) : `the ${count(rows.length)} that may be slower`
  const jobs = rows.reduce((most, row) => Math.max(most, decisive(row).history?.jobs ?? 0), 0)
  const why =
    jobs === 0
      ? 'one run can’t tell'
      : jobs === 1
        ? 'it takes two jobs that agree'
        : 'the main branch’s history leaves it open'
  return [`${runAgain(view, link('performance check', onlyCheck(view, rows)))} to settle ${what}: ${why}.`]
}

/** Those that may be slower beside sure ones. Where a command runs them again, their fold says it to who may give it. */
function settleOthers(view: View): string[] {
  const what = maySlower(view)
  return what === null || isByCommand(view) ? [] : [`${runAgain(view)} to settle ${what}.`]
}

/** `**Maintainers:** `/perf rerun` settles the 2 that may be slower.`; empty where there are none, or another step says it. */
export function settledByMaintainers(view: View): string {
  const what = maySlower(view)
  const isAlone = withVerdict(view.open, 'regression').length === 0
  if (what === null || isAlone || !isByCommand(view)) return ''
  return `**Maintainers:** \`${view.links.commandPrefix} rerun\` settles ${what}.`
}

function isByCommand({ links: { commandPrefix, runsAgain = [], rerunsByHand } }: View): boolean {
  return commandPrefix !== undefined && !rerunsByHand && runsAgain.length === 0
}

function maySlower(view: View): string | null {
  const rows = view.open.filter(asksAgain)
  const [first, ...others] = rows
  if (first === undefined) return null
  return others.length === 0 ? rowName(view, first) : `the ${count(rows.length)} that may be slower`
}

/** Whom to ask for a rerun where people are heard; where the bot has started one, the job to wait for. Who reads may not be allowed to. */
function runAgain(
  { links: { commandPrefix, runsAgain = [], rerunsByHand } }: View,
  check = 'performance check',
): string {
  if (runsAgain.length > 0) {
    const jobs = list(runsAgain.map((name) => codeSpan(name, NAME_LIMIT)))
    return `wait for ${jobs}, which the bot has started again`
  }
  return commandPrefix === undefined || rerunsByHand
    ? `the ${check} needs a rerun`
    : `ask a maintainer for \`${commandPrefix} rerun\` of the ${check}`
}

/** A slower shift of a whole run: only the same again tells a machine from a change. */
function ofWholeRun(view: View): string[] {
  const { slowRuns, report } = view
  const asked = slowRuns.filter(({ verdict }) => verdict === 'needs-rerun')
  const found = slowRuns.filter(({ verdict }) => verdict === 'regression')
  const names = (shifts: typeof slowRuns) => list(shifts.map((shift) => runName(shift, report)))
  return [
    ...(asked.length === 0 ? [] : [`${runAgain(view)}: if ${names(asked)} is as slow again, it is this change.`]),
    ...(found.length === 0
      ? []
      : [`look for a cost that every ${nounsOf(report.rows)[0]} of ${names(found)} pays: no single one explains it.`]),
  ]
}

/** With too few repetitions the same again would say as little. */
function howOften(reruns: readonly ReportRow[]): string {
  const needed = reruns.flatMap((row) =>
    row.evidence.flatMap((item) => (item.kind === 'too-few-repetitions' ? [item.needed] : [])),
  )
  if (needed.length > 0) return `, with at least ${Math.max(...needed)} repetitions per side`
  if (reruns.some(({ evidence }) => evidence.some(({ kind }) => kind === 'host-spell' || kind === 'moved-meanwhile')))
    return ', with the builds in turns (old, new, old, new): a host that slows down then slows both'
  // the same again is one process a side again
  return reruns.some((row) => decisive(row).notes.includes('one-process'))
    ? `: it takes ${count(AGREEING_PROCESSES)} runs that agree, or one with ${count(ENOUGH_PROCESSES)} processes per side`
    : ''
}

/** The page of the one check that measured all of them; null where there are several. */
function onlyCheck({ report }: View, rows: readonly ReportRow[]): string | null {
  const architectures = new Set(rows.map((row) => decisive(row).architecture))
  const checks = report.shards.filter(
    (shard) =>
      shard.state === 'measured' &&
      (shard.architecture === null || architectures.has(null) || architectures.has(shard.architecture)),
  )
  return checks.length === 1 ? checks[0]!.url : null
}

function calm(view: View): string[] {
  const { report, slower, faster, undirected, shards } = view
  if (!report.complete) {
    return [`nothing yet: ${counted(shards.awaited.length, 'shard is', 'shards are')} still running.`]
  }
  if (isMostlyNoise(view)) return measureLonger(view.tooNoisy)
  if (isOneProgram(view) && view.compared > 0) return ['nothing to do.']
  if (undirected.length > 0)
    return [`look at what changed; \`better\` in \`.github/perf-triage.yml\` says which way is better.`]
  const gains = withVerdict(report.rows, 'improvement')
  const largest = gains.toSorted((a, b) => (slowdownOf(decisive(a)) ?? 0) - (slowdownOf(decisive(b)) ?? 0))[0]
  if (largest !== undefined) {
    const doubt = decisive(largest).notes.includes('one-process')
      ? ` (${noteWords('one-process', decisive(largest))})`
      : ''
    return [`nothing to do. The largest gain is ${nameAndNumbers(view, largest)}${doubt}.`]
  }
  if (slower.length + faster.length > 0) return [`nothing to do${explanation(view)}.`]
  const once = [...measuredOnce(view), ...view.tooFew]
  if (once.length > 0) {
    return [`measure with ${NEEDED_REPETITIONS} repetitions per side.`]
  }
  if (shards.lost.length > 0) return []
  return [
    view.compared > 0
      ? 'nothing to do.'
      : `nothing to judge: no ${nounsOf(report.rows)[0]} could be compared, for the reasons below.`,
  ]
}

/** Most rows show nothing: that is no fault of the change, and no answer either. */
function measureLonger(noisy: readonly ReportRow[]): string[] {
  return [repetitionsSentence(noisy.map(decisive))]
}

/** What explains the worst of the rows that moved, beyond what the headline says. */
function explanation({ slower, faster }: View): string {
  const row = slower[0] ?? faster[0]
  if (slower.some(({ verdict }) => verdict === 'already-on-trunk')) return ''
  const shift = row === undefined ? null : evidenceOf(row, 'shard-shift')
  return shift === null ? '' : `: ${shift}`
}

function nameAndNumbers(view: View, row: ReportRow): string {
  const result = decisive(row)
  const percent = result.difference === null ? '' : `, ${signedPercent(result.difference)}`
  const where = row.results.length > 1 ? onArchitecture(result.architecture) : ''
  return `${rowName(view, row)}${where}: ${medians(result)}${percent}`
}

/** Longest text of why what was uploaded can't be read; the whole of it is in the report. */
const REFUSAL_LIMIT = 900

/** Of these the same job uploads the same again. */
const SAME_AGAIN: ReadonlySet<ShardProblem | null> = new Set(['unreadable', 'empty', 'too-large'])

function lostShards({ shards: { lost }, links }: View): string[] {
  const isElsewhere = ({ problem }: Shard) => problem === 'host-not-allowed'
  const isSameAgain = ({ problem, refusal }: Shard) => refusal !== undefined || SAME_AGAIN.has(problem)
  const elsewhere = lost.filter(isElsewhere)
  const [apart, here] = [true, false].map((isApart) =>
    lost.filter((shard) => !isElsewhere(shard) && (shard.problem === 'not-compared') === isApart),
  )
  const [same, others] = [true, false].map((isSame) => here!.filter((shard) => isSameAgain(shard) === isSame))
  return [
    ...(others!.length > 0 ? [rerunLost(others!)] : []),
    ...(same!.length > 0 ? [lookAtUpload(same!, links)] : []),
    ...(apart!.length > 0 ? [notCompared(apart!)] : []),
    ...(elsewhere.length > 0 ? [allowHost(elsewhere)] : []),
  ]
}

/** The upload is as it should be: what it says is the reason. */
function notCompared(lost: readonly Shard[]): string {
  const told = lost.find(({ refusal }) => refusal !== undefined)
  const why = told === undefined ? '' : `: ${codeSpan(told.refusal!, REFUSAL_LIMIT)}`
  return `${checksOf(lost)} did not compare the base with the head${why}.`
}

/** Only who runs the bot can mend it. */
function allowHost(lost: readonly Shard[]): string {
  const told = lost.find(({ refusal }) => refusal !== undefined)
  const host = told === undefined ? 'the log of the bot names it' : codeSpan(told.refusal!, REFUSAL_LIMIT)
  return (
    `whoever runs the bot adds the host of ${checksOf(lost)} to ${codeSpan('ARTIFACT_HOSTS', MESSAGE_LIMIT)} (${host}) ` +
    'and restarts it; it then reads the results by itself.'
  )
}

/** What was found in the place of results says more than any advice. */
function lookAtUpload(lost: readonly Shard[], { uploadUrl = null }: View['links']): string {
  const look = `look at what ${checksOf(lost)} ${lost.length === 1 ? 'uploads' : 'upload'}`
  const told = lost.find(({ refusal }) => refusal !== undefined)
  if (told !== undefined) {
    const how =
      told.problem === 'no-results' && uploadUrl !== null
        ? ` ${link('How a workflow uploads results', uploadUrl)}.`
        : ''
    return `${look}: ${codeSpan(told.refusal!, REFUSAL_LIMIT)}.${how}`
  }
  const reads = codeSpan('npx perf-triage classify FILE', MESSAGE_LIMIT)
  return `${look}: ${reads} says what each file looks like and which formats are read.`
}

function rerunLost(lost: readonly Shard[]): string {
  const [need, measure] = lost.length === 1 ? ['needs', 'it measures'] : ['need', 'they measure']
  return `${checksOf(lost)} ${need} a rerun: what ${measure} is not in these numbers.`
}

function checksOf(checks: readonly Shard[]): string {
  const first = checks[0]!
  const others = checks.length === 1 ? '' : ` and ${counted(checks.length - 1, 'other', 'others')}`
  return `${link(codeSpan(first.check, MESSAGE_LIMIT), first.url)}${others}`
}
