import type { TrunkPoint } from '../history/trunk-series.ts'
import { queryLabel } from '../measurement/run.ts'
import type { BisectOptions } from './bisect-options.ts'
import type { FoundWindow } from './found-window.ts'

/** `bisect --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/** The document of `bisect --json`: a window has the fields of a point of `change-points --json` and those of its plan. */
export function bisectJson(
  found: readonly FoundWindow[],
  histories: number,
  { metric, days }: Pick<BisectOptions, 'metric' | 'days'>,
): string {
  const document = { schemaVersion: JSON_SCHEMA_VERSION, metric, days, histories, windows: found.map(windowJson) }
  return JSON.stringify(document, null, 2)
}

function windowJson({ series, window, problem }: FoundWindow) {
  const { step, commits } = window
  const { points, source, alsoFrom = [] } = series
  const functional = new Set(window.functional.map(({ sha }) => sha))
  return {
    series: window.architecture === null ? queryLabel(window) : `${queryLabel(window)} ${window.architecture}`,
    index: points.indexOf(step.firstBad),
    lastGood: pointJson(step.lastGood),
    firstBad: pointJson(step.firstBad),
    before: step.before,
    after: step.after,
    step: step.step,
    direction: step.step === 0 ? null : step.step > 0 ? 'slower' : 'faster',
    earliest: points.indexOf(step.earliest),
    latest: points.indexOf(step.latest),
    test: window.test,
    queryIndex: window.queryIndex,
    queryName: window.queryName,
    metric: window.metric,
    unit: window.unit,
    architecture: window.architecture,
    source,
    alsoFrom,
    seenBy: step.seenBy,
    recovered: step.recovered === null ? null : pointJson(step.recovered),
    threshold: window.threshold,
    repetitions: window.repetitions ?? null,
    commitCount: commits?.total ?? null,
    commits: commits?.listed.map((commit) => ({ ...commit, functional: functional.has(commit.sha) })) ?? null,
    setAside: commits === null ? null : window.setAside,
    problem,
    steps: window.steps,
    plan: window.plan,
  }
}

function pointJson({ commit, time, new: value }: TrunkPoint) {
  const date = new Date(time)
  return { commit, time: Number.isFinite(date.getTime()) ? date.toISOString() : null, value }
}
