import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readUploadedRun } from '../../../src/intake/archive/read-run.ts'
import { historyLine, parseHistoryLines, trunkRowsOf } from '../../../src/intake/imports/history/history-lines.ts'
import { decidingMetric } from '../../../src/intake/measurement/formats/formats.ts'
import { PRIMARY_METRIC, type Run, type RunContents } from '../../../src/intake/measurement/run.ts'
import { oneSidedHistoriesInFile } from '../../../src/judge/history/history-file.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { historyRunsOf, keptOfTrunkRun, trunkRowsOfRun } from '../../../src/judge/verdict/trunk-run.ts'
import { usualInFile } from '../../../src/report/usual.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { saveAtOnce } from '../../store/runs/save-at-once.ts'

/** Recorded results as runs of the trunk: through the App's tables, and through lines of the history file. */

let clickhouse: ClickHouse
let store: Store

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse)
})
afterAll(() => store.close())

const DATA = join(import.meta.dirname, '../../data')
/** Whether each compares two builds, so that an empty one is noticed. */
const SOURCES: readonly (readonly [path: string, compared: boolean])[] = [
  ['run-a-a', true],
  ['run-metrics/measurements.jsonl.gz', true],
  ['aa-jmh', true],
  ['format-outputs/go.txt', false],
  ['format-outputs/hyperfine.json', false],
]

const commitOf = (number: number) => number.toString(16).padStart(40, '0')
const DAY = 86_400_000
const START = Date.UTC(2026, 5, 1, 12, 0, 0, 345)

/** Seven runs of the trunk, of two shards each: on two machines, the samples of one a little longer. */
function runsOfTrunk(contents: RunContents, repositoryId: number): Run[] {
  return Array.from({ length: 14 }, (_, number) => {
    const commit = Math.floor(number / 2)
    const longer = (samples: readonly number[]) => samples.map((sample) => sample * (1 + commit / 50))
    return {
      ...contents,
      measurements: contents.measurements.map((one) => ({ ...one, new: longer(one.new) })),
      repositoryId,
      pullRequestNumber: 0,
      head: commitOf(commit + 1),
      oldCommit: commit === 3 ? null : commitOf(commit),
      newCommit: null,
      check: `perf (${(number % 2) + 1}/2)`,
      architecture: commit === 5 ? null : 'amd64',
      shard: (number % 2) + 1,
      shards: 2,
      attempt: 1 + (commit % 2),
      machine: commit < 4 ? 'EPYC 7763' : 'Xeon 8370C',
      source: 'artifact 7',
      finishedAt: new Date(START + number * DAY).toISOString(),
    }
  })
}

const PLACE = { branch: 'main', url: 'https://github.com/acme/app/actions/runs/7' }

/** As the App takes in a run of the trunk, and as the Action writes it down. */
function bothOf(run: Run, number: number) {
  const placed = run.measurements.map((one) => ({ ...one, architecture: one.architecture ?? run.architecture }))
  const results = classify(placed, DEFAULT_THRESHOLDS)
  const decides = decidingMetric(PRIMARY_METRIC, results)
  const kept = keptOfTrunkRun(results, decides)
  const rows = trunkRowsOfRun(run, kept, { baseBranch: PLACE.branch, reportUrl: PLACE.url })
  const lines = historyRunsOf(run, kept, decides, { ...PLACE, run: number, base: run.oldCommit }).map(historyLine)
  return { run, results, decides, rows, lines }
}

const storedRow = z.record(z.string(), z.unknown())

async function tableOf(repositoryId: number): Promise<readonly unknown[]> {
  const sql = `SELECT * EXCEPT (repository_id, stored_at), query_hash, toString(stat_threshold) AS stat_threshold
    FROM trunk_history FINAL WHERE repository_id = {repositoryId:UInt64} ORDER BY ALL`
  return await clickhouse.read('history', sql, { repositoryId }, storedRow)
}

describe.each(SOURCES)('%s', (path, isCompared) => {
  test('a line of the history file says what the App stores of the run', async () => {
    const contents = await readUploadedRun(join(DATA, path), { primaryMetric: PRIMARY_METRIC })
    const [ofApp, ofLines] = [1000, 2000].map((first) => first + SOURCES.findIndex(([one]) => one === path)) as [
      number,
      number,
    ]
    const runs = runsOfTrunk(contents, ofApp)
    const both = runs.map(bothOf)
    const lines = both.flatMap((one) => one.lines)
    const metric = both.at(-1)!.decides
    await saveTrunkRows(
      clickhouse,
      ofApp,
      both.flatMap(({ rows }) => rows),
    )
    await saveAtOnce(clickhouse, both, new Date())
    const { runs: read, duplicates, problems } = parseHistoryLines(lines.join('\n'), lines.slice(0, 3).join('\n'))
    expect({ duplicates, problems: [...problems] }).toEqual({ duplicates: Math.min(3, lines.length), problems: [] })
    await saveTrunkRows(clickhouse, ofLines, read.values().flatMap(trunkRowsOf))
    const table = await tableOf(ofApp)
    expect(await tableOf(ofLines)).toEqual(table)
    expect(table.length > 0).toBe(isCompared)

    const newest = runs.at(-1)!
    for (const before of [START + 6 * DAY, START + 20 * DAY]) {
      const wanted = { repositoryId: ofApp, metric, before }
      expect(usualInFile(read, metric, before)).toEqual(await store.runs.usualOfTrunk(wanted))
      // the head alone
      const measurements = newest.measurements.map(({ taken, ...one }) => ({
        ...one,
        old: [],
        ...(taken?.new !== undefined && { taken: { new: taken.new } }),
      }))
      const head = { ...newest, pullRequestNumber: 42, head: commitOf(99), attempt: before % 97, measurements }
      for (const architecture of ['amd64', 'arm64']) {
        const job = { ...head, architecture }
        await store.runs.save(job, classify(job.measurements, DEFAULT_THRESHOLDS), 90, metric)
        const stored = await store.runs.oneSidedHistories([job], {
          ...wanted,
          head: { sha: job.head, pullRequestNumber: 42 },
        })
        const jobs = await store.runs.everyOf(ofApp, job.head, metric)
        const inFile = oneSidedHistoriesInFile(read, [job], jobs, { metric, before })
        expect(inFile).toEqual(stored)
        const [history] = inFile.values()
        expect(history!.trunkRuns * history!.queries.size).toBeGreaterThan(0)
      }
    }
  })
})
