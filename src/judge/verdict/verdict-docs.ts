import { FEWEST_POINTS_GROWN, GROWN_ERRORS } from '../profile/grown-functions.ts'
import { STEP_SHARE } from './evidence/already-on-trunk.ts'
import { MEMORY_DIFFERENCE, WORK_DIFFERENCE } from './evidence/different-work.ts'
import type { EvidenceKind } from './evidence/evidence.ts'
import { FLAGGED_DAYS, FLAGGED_MINIMUM, FLAGGED_SIZE } from './evidence/flagged-elsewhere.ts'
import { FEWEST_CHANGED, FEWEST_COMPARED, FEWEST_SUITES, MOST_CHANGED } from './evidence/moved-meanwhile.ts'
import { AGREEING_PROCESSES, PROCESS_FACTOR, PROCESS_SPREAD, SPREAD_RUNS } from './evidence/one-process.ts'
import { NEEDED_REPETITIONS } from './evidence/own-measurement.ts'
import { REPLICATED_SIZE } from './evidence/replicated.ts'
import { ROTATING_MINIMUM, ROTATING_OVERLAP } from './evidence/rotating.ts'
import { SHIFT_CONFIDENCE, SHIFT_MINIMUM, SHIFT_MINIMUM_QUERIES, SHIFT_SHARE } from './evidence/shard-shift.ts'
import { MOVES_MINIMUM, MOVES_SHARE, STILL_MINIMUM_RUNS } from './evidence/trunk-moves.ts'
import { type EvidenceSide, FACTS, factWords, SIDES } from './facts.ts'
import { ENOUGH_PROCESSES } from './processes.ts'
import { LEARNED_FACTOR, LEAST_RUNS } from './thresholds.ts'
import { factsIn, GUARD, RULES, type Verdict } from './verdict.ts'

/**
 * The verdict table and its facts as `docs/verdicts.md` has them, in Markdown. `node src/judge/verdict/verdict-docs.ts` prints them
 * and the kinds of evidence.
 */
export function verdictDocs(): string {
  const rules = RULES.map(({ when, verdict, words }, index) => {
    const facts = factsIn(when).map((fact) => factWords(fact, when[fact] === true))
    return row([`${index + 1}`, facts.join(', '), verdictWords(verdict), words])
  })
  const facts = Object.values(FACTS).map(({ words, meaning }) => row([words, meaning]))
  return [
    row(['rule', 'where the row is', 'verdict', 'because']),
    '|---|---|---|---|',
    ...rules,
    row([
      'last',
      `guarded, and its verdict would not be open${finalWords()}`,
      verdictWords(GUARD.verdict),
      GUARD.words,
    ]),
    '',
    row(['fact', 'holds where']),
    '|---|---|',
    ...facts,
  ].join('\n')
}

/** `, nor ignored`: verdicts that the guard leaves alone. */
function finalWords(): string {
  return RULES.filter(({ isFinal }) => isFinal === true)
    .map(({ verdict }) => `, nor ${verdictWords(verdict)}`)
    .join('')
}

/** When each kind of evidence is there, in Markdown: the rule of its file in a sentence. In the order of the page. */
const EVIDENCE_RULES: Readonly<Record<EvidenceKind, string>> = {
  replicated: `another architecture moved the same way, significantly and at least ${half(REPLICATED_SIZE)} as far, and not because everything on that machine did`,
  'one-architecture': `every other architecture was compared and is not significant`,
  confirmed: `the run measured the query once more after a restart of both servers, or an [earlier run of this commit](#several-runs-of-one-commit) measured it too, and it moved the same way beyond its threshold, in another run at least half as far`,
  'not-reproduced': `the run measured it once more after that restart, and it did not. A query that was not measured again has neither`,
  'moves-on-trunk': `on the trunk, where a commit is measured against its predecessor, it moved at least as far in ${MOVES_MINIMUM} runs or more, and in more than ${percent(MOVES_SHARE)} of all by the lower end of Wilson's 95 % interval: 14 of 214 runs, not 3 of 400. A query whose trunk [stepped](#beside-a-step) is counted on one side`,
  'still-on-trunk': `it moved as far in none of ${STILL_MINIMUM_RUNS} runs or more`,
  'flagged-elsewhere': `flagged in the same direction, at least ${half(FLAGGED_SIZE)} as large and beyond the threshold that this row has, in ${FLAGGED_MINIMUM} or more other pull requests within ${FLAGGED_DAYS} days, each of another [witness](ledger.md) whose word counts: a stack of branches is one, and so are all pull requests of a first-time contributor, who counts for nothing where the check gates. Flags against this row’s own old build do not count where the trunk has stepped since, nor do rows that a person accepted there. *Flagged* is what the newest report of a head calls changed, by its learned thresholds; reports from before migration 009 do not count`,
  'already-on-trunk': `the trunk moved in the same direction, at least ${half(STEP_SHARE)} as far, between the old build of the row's own run and the merge base, in runs and in levels alike, and a step of it has its whole window there: see [below](#what-the-trunk-did-in-between). A step that was taken back before the merge base doesn't count; one that was taken back later does, and that is said`,
  'takes-back': `the row undoes a step that the trunk made: see [below](#a-step-taken-back)`,
  'different-work': `rows, bytes, parts or marks read (before or after PREWHERE), rows of a join, inserted or result rows differ by ${percent(WORK_DIFFERENCE)} or more, or memory by ${percent(MEMORY_DIFFERENCE)}, and not one repetition of a side has what the other has; of a source that gives medians and a threshold of its own, by that threshold at the least`,
  'on-path': `functions that the pull request changes grew in the [profile](flame-graphs.md#in-the-comment): their share of the stack samples, with what they call or by themselves, by ${points(FEWEST_POINTS_GROWN)} points or more and by ${GROWN_ERRORS} standard errors or more, with 100 stack samples a side at least. By name, compared from the right: a change in \`Aggregator::executeImpl\` is \`DB::Aggregator::executeImpl\` in the profile, one in a function that is only known as \`execute\` is nothing, and neither is \`Parser::parse\` for \`rapidjson::Parser::parse\` (a class that many projects have) or a function of the same name in another file, where the frames name theirs. Or by the file alone, which is said (*in a file that the pull request touches*) and decides nothing: what changed there may be another function`,
  'off-path': `something grew that much, and neither it, nor its callers, nor what it calls is in what the pull request changes. Only where all of that was seen: every changed file with its diff, every changed line in a known method, and each of these methods in the new build's profile, in other stacks. What has no frame of its own may be compiled into what grew, and so may a header, a template, a macro or \`inline\`, a method of a class that is in those stacks or in the file of such a class, and anything in Go or in a language that is compiled while it runs: then nothing is said. GitHub says of a change which function it is in; where it does not, nothing is said`,
  'no-code-changed': `every changed file is documentation, a test or the like (\`UNBUILT_PATHS\` in \`src/judge/bisect/binary-paths.ts\`); CI files, which may change the compiler, and files of the build excuse nothing`,
  rotating: `at least ${ROTATING_MINIMUM} flagged results on this head and on the previous one, of those compared on both, and at most ${percent(ROTATING_OVERLAP)} of them the same; only for rows that are not among the same`,
  bimodal: `the samples of one side fall into two separate modes`,
  'shard-shift': `everything on that machine moved: the median of log(new/old) over at least ${SHIFT_MINIMUM_QUERIES} queries is off zero by ${percent(SHIFT_MINIMUM)} or more with ${percent(SHIFT_CONFIDENCE)} confidence, and without that the row is below its own threshold. With other shards, which did not move alike, it is noise where the shift is at least ${half(SHIFT_SHARE)} of the difference; where all of them moved it is the build and nothing is explained away. Without other shards nobody can tell the machine from the build, and it is [doubt](#a-shift-of-everything), however large the difference`,
  'other-machine': `the sides were measured with another model or number of CPUs, on another system or architecture, or as a debug and a release build, as far as [their tool says it](formats.md#environments). Nothing else speaks for or against such a row, and what other architectures of the query show counts without it`,
  'too-few-repetitions': `fewer than ${NEEDED_REPETITIONS} a side`,
  'stale-reference': `the old build of the row's own run is not the merge base but some commits before it. Shards of one architecture may have different ones; where a run does not say its own, and its architecture has several, nothing is said`,
  'one-process': `fewer than ${ENOUGH_PROCESSES} [processes](classification.md#processes) a side were measured, and the row differs by less than ${PROCESS_FACTOR} times what processes of one build differ by: the median of its trunk runs where there are ${SPREAD_RUNS}, else ${percent(PROCESS_SPREAD)}; or by less than ${LEARNED_FACTOR} times the third largest difference of at most ${LEAST_RUNS} trunk runs; or a process of old is beyond one of new, each as its median. Of a query without a learned threshold the trunk’s runs count also where two servers took turns. It takes ${AGREEING_PROCESSES} jobs, machines or pairs of processes that show it, each by itself`,
  'host-spell': `measured side by side, not in turns, it moved together with its neighbours in the order of measurement, and the sample before or after them is raised as well, or their own first or last is not: beyond half of their median difference, where that is three times the noise of the benchmark. Where a run has such rows, others that moved by half to twice as much are doubted too`,
  'moved-meanwhile': `the run measured one build after the other, and of ${FEWEST_COMPARED} rows or more ${percent(MOST_CHANGED)} changed, in ${FEWEST_SUITES} suites or more; or of ${FEWEST_CHANGED} suites that changed those that are slower and those that are faster stand together more than chance lets them in one run of a hundred. Of all rows, what each measured by itself tells nothing then`,
  'floor-threshold': `judged by the general threshold, since none was learned for this query`,
}

/** The words of a side, and of the kinds that say more than their side. */
const SIDE_WORDS: Readonly<Record<EvidenceSide, string>> = {
  change: 'the pull request',
  noise: 'noise',
  machine: 'noise, or doubt without other shards',
  doubt: 'doubt',
  trunk: 'not this pull request',
  neither: 'neither',
}
const MORE_WORDS: Readonly<Partial<Record<EvidenceKind, string>>> = {
  'one-architecture': 'narrows the claim',
  'takes-back': 'informs',
  'different-work': 'explains',
}

/** The kinds of evidence as `docs/verdicts.md` has them, in Markdown. */
export function evidenceDocs(): string {
  const kinds = Object.entries(EVIDENCE_RULES) as [EvidenceKind, string][]
  const rows = kinds.map(([kind, rule]) => {
    const more = MORE_WORDS[kind]
    return row([`\`${kind}\``, `${SIDE_WORDS[SIDES[kind]]}${more === undefined ? '' : `; ${more}`}`, rule])
  })
  return [row(['evidence', 'speaks for', 'rule']), '|---|---|---|', ...rows].join('\n')
}

/** `half` for 0.5, as the rules have it. */
function half(share: number): string {
  return share === 0.5 ? 'half' : percent(share)
}

function percent(share: number): string {
  return `${points(share)} %`
}

/** Percentage points, without what binary fractions leave. */
function points(share: number): number {
  return Number((100 * share).toPrecision(6))
}

function verdictWords(verdict: Verdict | null): string {
  return verdict === null ? 'none' : `\`${verdict}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

if (import.meta.main) console.log(`${verdictDocs()}\n\n${evidenceDocs()}`)
