import { decisive } from '../../src/report/parts.ts'
import { claimedIn } from '../../src/report/record/record.ts'
import { summaryOf } from '../../src/report/render/summary.ts'
import type { TriageReport } from '../../src/report/report.ts'
import type { PagesStore } from '../../src/web/pages/site.ts'

const NO_HISTORY: PagesStore['trunkHistory'] = {
  learnedThresholds: async () => {
    throw new Error('no page asks for learned thresholds')
  },
  moves: async (_of, _days, wanted) => wanted.map(() => null),
  series: async () => [],
  mediansOfCommits: async () => [],
  async *allSeries() {},
}

/** What no test of pages asks for is left out: asking for it throws. */
function partly<T>(part: Partial<T>): T {
  return part as T
}

/** Reports in a list, the newest last, and the questions that were asked: the value behind the pages' logic. */
export function memoryReports(...reports: readonly TriageReport[]) {
  const questions: string[] = []
  const store: PagesStore = {
    reports: partly<PagesStore['reports']>({
      repositoryByName: async (owner, name) => {
        questions.push('repositoryByName')
        const found = reports.findLast(
          ({ repository }) =>
            `${repository.owner}/${repository.name}`.toLowerCase() === `${owner}/${name}`.toLowerCase(),
        )
        return found === undefined ? null : { id: found.repository.id, isPrivate: found.repository.isPrivate }
      },
      of: async (id, number, head) => {
        questions.push('reportOf')
        const found = reports.findLast(
          (report) =>
            report.repository.id === id &&
            report.pullRequest.number === number &&
            (head === undefined || report.head === head),
        )
        return found ?? null
      },
      recent: async (id, after, limit) =>
        reports
          .filter(({ repository, judgedAt }) => repository.id === id && Date.parse(judgedAt) < after.judgedAt)
          .slice(0, limit)
          .map((report) => ({ report, ...report }))
          .map(({ report, pullRequest, head, judgedAt, mode, complete, counts }) => ({
            pullRequestNumber: pullRequest.number,
            head,
            judgedAt: Date.parse(judgedAt),
            baseRef: pullRequest.baseRef,
            mode,
            complete,
            counts,
            said: summaryOf(report),
          })),
      ofQueue: async () => [],
      ofRecord: async (id) =>
        reports
          .filter(({ repository }) => repository.id === id)
          .map((report) => ({ pullRequestNumber: report.pullRequest.number, ...claimedIn(report) })),
      repositories: async () => [],
      flagsOfQuery: async () => [],
    }),
    runs: partly<PagesStore['runs']>({
      metricsOf: async () => [],
      measuredCommits: async () => [],
      samplesOfTests: async () => new Map(),
      newestOfTrunk: async () => null,
      ofCommits: async () => [],
      of: async () => [],
      oneSidedHistories: async () => new Map(),
    }),
    queries: partly<PagesStore['queries']>({
      byHash: async () => [],
      find: async ({ repositoryId, text, limit }) =>
        reports
          .filter(({ repository }) => repository.id === repositoryId)
          .flatMap(({ rows, judgedAt, head, pullRequest: { number } }) =>
            rows.map((row) => {
              const { test, queryIndex, queryName, outcome, direction } = row
              const last = { pullRequestNumber: number, head, outcome, direction, difference: decisive(row).difference }
              return { test, queryIndex, queryName, finishedAt: Date.parse(judgedAt), last }
            }),
          )
          .filter(({ test }) => test.includes(text))
          .slice(0, limit),
      testsAtIndex: async () => [],
      measuredOften: async () => [],
    }),
    ledger: partly<PagesStore['ledger']>({
      find: async () => ({ entries: [], found: 0, page: 1, pages: 1, counts: [] }),
      entry: async () => null,
      timelineOf: async () => Promise.reject(new Error('there is no entry')),
    }),
    profiles: { summariesOf: async () => [], stacksOf: async () => null },
    trunkHistory: NO_HISTORY,
    historyCopies: { states: async () => [] },
  }
  return { store, questions }
}
