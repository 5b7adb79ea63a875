import { type Measurement, PRIMARY_METRIC, type RunContents } from '../run.ts'
import { mostTelling } from '../units.ts'
import { asvResults, asvText } from './asv.ts'
import { bencher } from './bencher.ts'
import { benchmarkdotnet } from './benchmarkdotnet.ts'
import { benchmarkjs } from './benchmarkjs.ts'
import { benchmarktools } from './benchmarktools.ts'
import { catch2 } from './catch2.ts'
import { clickbench } from './clickbench.ts'
import { clickhouseCommits } from './clickhouse-commits.ts'
import { clickhouseConclusion } from './clickhouse-conclusion.ts'
import { clickhouseConfirmation } from './clickhouse-confirmation.ts'
import { clickhouseMetrics } from './clickhouse-metrics.ts'
import { clickhouseNotes } from './clickhouse-notes.ts'
import { clickhouseRaw } from './clickhouse-raw.ts'
import { clickhouseReport } from './clickhouse-report.ts'
import { clickhouseRunErrors } from './clickhouse-run-errors.ts'
import { clickhouseStacks } from './clickhouse-stacks.ts'
import { criterionFolder, criterionText } from './criterion.ts'
import { dart } from './dart.ts'
import { divan } from './divan.ts'
import type { Format } from './format.ts'
import { githubActionBenchmark } from './github-action-benchmark.ts'
import { go } from './go.ts'
import { googleBenchmark } from './google-benchmark.ts'
import { hyperfine } from './hyperfine.ts'
import { iai } from './iai.ts'
import { jmh } from './jmh.ts'
import { jsTime } from './js-time.ts'
import { k6 } from './k6.ts'
import { libtest } from './libtest.ts'
import { measure } from './measure.ts'
import { measurements } from './measurements.ts'
import { mitata } from './mitata.ts'
import { oha } from './oha.ts'
import { perfStat } from './perf-stat.ts'
import { perfTriage } from './perf-triage.ts'
import { phpbench } from './phpbench.ts'
import { profileFiles } from './profile-files.ts'
import { pyperf } from './pyperf.ts'
import { pytestBenchmark } from './pytest-benchmark.ts'
import { ruby } from './ruby.ts'
import { tinybench } from './tinybench.ts'
import { vitest } from './vitest.ts'
import { wrk } from './wrk.ts'

/** All formats. A new one is one file and one entry here. */
function allFormats(oldCommitFile?: string): readonly Format[] {
  return [
    clickhouseRaw,
    clickhouseRunErrors,
    clickhouseCommits(oldCommitFile),
    ...clickhouseConfirmation,
    ...clickhouseStacks,
    ...clickhouseMetrics,
    ...profileFiles,
    ...clickhouseReport,
    ...clickhouseConclusion,
    ...clickhouseNotes,
    measure,
    measurements,
    ...perfTriage,
    perfStat,
    criterionFolder,
    criterionText,
    libtest,
    pyperf,
    jmh,
    go,
    asvResults,
    asvText,
    vitest,
    benchmarkjs,
    catch2,
    iai,
    benchmarkdotnet,
    dart,
    ruby,
    divan,
    tinybench,
    mitata,
    benchmarktools,
    phpbench,
    k6,
    ...oha,
    wrk,
    ...googleBenchmark,
    ...hyperfine,
    pytestBenchmark,
    ...githubActionBenchmark,
    bencher,
    // other tools name a machine and a system, too
    clickbench,
    // last of all: a label and a time is a line of many tools
    jsTime,
  ]
}

/** What decides where neither the repository nor the command line has chosen, and `asked` was not measured: the first that was. */
const DECIDING: readonly string[] = [...new Set(allFormats().flatMap(({ decides = [] }) => decides))].filter(
  (metric) => metric !== PRIMARY_METRIC,
)

/** The metric that decides of a run: the one that is asked for where it was measured, else that of the formats, else what there is. */
export function decidingMetric(asked: string, measurements: readonly Pick<Measurement, 'metric'>[]): string {
  const metrics = new Set(measurements.map(({ metric }) => metric))
  const deciding = [asked, ...DECIDING].find((metric) => metrics.has(metric))
  return deciding ?? (asked === PRIMARY_METRIC ? mostTelling(metrics) : null) ?? asked
}

/** The metrics of a run that may decide of it. */
export function mayDecide(asked: string): readonly string[] {
  return [asked, ...DECIDING]
}

/** The metric that a report is by: of several runs with a metric each that of the first. */
export function metricOfRuns(asked: string, runs: readonly Pick<RunContents, 'decides'>[]): string {
  return runs.every(({ decides = asked }) => decides !== asked) ? (runs[0]?.decides ?? asked) : asked
}

/**
 * The formats that a name of `FORMAT_NAMES` stands for. `oldCommitFile`: the file name that states the commit of the old
 * build, where it is not ClickHouse's.
 */
export function formatsNamed(name: string, oldCommitFile?: string): readonly Format[] {
  return allFormats(oldCommitFile).filter(
    (format) => name === 'auto' || format.name === name || format === measure || profileFiles.includes(format),
  )
}
