import { expect, test } from 'vitest'
import { type ClassifiedQuery, shownValue } from '../../../../src/judge/verdict/classified-query.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { jsonInPieces, type TextInPieces } from '../../../../src/text/text-pieces.ts'
import { reportTsv } from '../../../../src/web/pages/report/result-columns.ts'
import { sampleReport } from '../../../web/sample-report.ts'
import { readTexts } from '../read-text.ts'
import { filesOf } from './output-files.ts'

const textOf = (text: TextInPieces) => [...text.pieces()].join('')
const identity = ({ test: name, queryIndex, queryName, metric, unit, better, architecture }: ClassifiedQuery) =>
  JSON.stringify([name, queryIndex, queryName, metric, unit, better ?? 'lower', architecture])
const sides = (results: readonly ClassifiedQuery[]) =>
  results.map((result) => [identity(result), shownValue(result.old), shownValue(result.new)].join(' ')).toSorted()

async function readBack(fileName: string, text: string): Promise<readonly ClassifiedQuery[]> {
  const { measurements, warnings } = await readTexts({ [fileName]: text }, { direct: true })
  expect(warnings).toEqual([])
  return classify(measurements, DEFAULT_THRESHOLDS)
}

test('what classify --json prints of benchmarks in time and throughput keeps its medians, and is measured once', async () => {
  const files = filesOf('verdicts-benchstat')
  const texts = { 'old.txt': files['crc-old.txt']!, 'new.txt': files['crc-new.txt']! }
  const queries = classify((await readTexts(texts)).measurements, DEFAULT_THRESHOLDS)
  expect(new Set(queries.map(({ better }) => better)).size).toBe(2)
  const again = await readBack('x.json', JSON.stringify({ schemaVersion: 1, counts: {}, queries }, null, 2))
  expect(sides(again)).toEqual(sides(queries))
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set(['measured-once']))
  for (const { old } of again) expect(old.given).toMatchObject({ kind: 'median', repetitions: 10 })
  // and what is read back once more is the same
  expect(await readBack('y.json', JSON.stringify({ schemaVersion: 1, counts: {}, queries: again }))).toEqual(again)
})

test('the report of a pull request, as JSON, as TSV and as comment --json prints it', async () => {
  const report = sampleReport()
  const results = report.rows
    .flatMap((row) => row.results)
    .filter(({ old, new: fresh }) => (old.median ?? fresh.median) !== null)
  const texts = {
    'report.json': textOf(jsonInPieces({ ...report, speeds: [] })),
    'comment.json': JSON.stringify({ schemaVersion: 1, body: '# x', report }),
    'report.tsv': textOf(reportTsv(report)),
  }
  for (const [name, text] of Object.entries(texts))
    expect([name, sides(await readBack(name, text))]).toEqual([name, sides(results)])
})
