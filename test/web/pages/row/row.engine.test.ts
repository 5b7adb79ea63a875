import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../../../src/judge/verdict/classified-query.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { changeSizes } from '../../../../src/report/render/change-sizes.ts'
import { largestThreshold } from '../../../../src/report/render/facts.ts'
import { pictureKey } from '../../../../src/report/render/pictures.ts'
import type { ReportRow, TriageReport } from '../../../../src/report/report.ts'
import {
  changesPicturePath,
  flameGraphPath,
  ownRowPath,
  queryOfReportPath,
  rowPath,
} from '../../../../src/report/urls.ts'
import { type ClickHouse, openClickHouse } from '../../../../src/store/client.ts'
import { type Store, storeOn } from '../../../../src/store/store.ts'
import { pages } from '../../../../src/web/pages.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { perfTriage } from '../../../cli/commands/capture.ts'
import { readTexts } from '../../../intake/measurement/read-text.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'
import { migratedDatabase, temporaryFolder } from '../../../store/embedded/engine-fixture.ts'
import { A_A_RUN, DEMO_RUN, METRICS_RUN, REPOSITORY, storeReport } from '../../measured-report.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { sampleReport, sampleRow } from '../../sample-report.ts'
import { longRows, NOW } from '../query/query-histories.ts'

const ADDRESS = { owner: 'acme', repo: 'fast.db' }
const head = (digit: string) => digit.repeat(40)

let clickhouse: ClickHouse
let store: Store
/** Two architectures, the time alone. */
let times: TriageReport
/** One architecture, eighty counters of each query. */
let counters: TriageReport

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse)
  times = await storeReport(store, 7, head('a'), [
    { architecture: 'arm', source: DEMO_RUN },
    { architecture: 'amd', source: A_A_RUN },
  ])
  counters = await storeReport(store, 8, head('b'), [{ architecture: null, source: METRICS_RUN }])
})
afterAll(() => store?.close())

function ask(path: string, headers: Record<string, string> = {}, now = Date.now()) {
  const options = { publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog() }
  const site = pages({ store, ...options, now: () => now })
  return site.request(path, { headers })
}

test('the picture of the changes of a stored report is found by the name that the comment gives it', async () => {
  const address = { ...ADDRESS, number: times.pullRequest.number, head: times.head }
  const picture = await ask(changesPicturePath(address, pictureKey(changeSizes(times)!), 'light'))
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(picture.headers.get('cache-control')).toContain('immutable')
})

function pathOf(report: TriageReport, row: ReportRow): string {
  return ownRowPath({ ...ADDRESS, number: report.pullRequest.number, head: report.head }, row)
}

const rowOf = (report: TriageReport, name: string) => report.rows.find((row) => row.test === name)!

/** Without tags, as a reader sees it. */
function textOf(html: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name]!)
    .replaceAll('\u00a0', ' ')
    .replace(/\s+/g, ' ')
}

/** The tags without what stands in their attributes. */
function tagsOf(html: string): string {
  return [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/="[^"]*"/g, '=')).join('\n')
}

const samples = z.object({ old: z.array(z.number()), new: z.array(z.number()) })
const data = z.object({
  schemaVersion: z.literal(1),
  repository: z.string(),
  row: z.looseObject({ test: z.string() }),
  measured: z.array(
    z.object({
      architecture: z.string().nullable(),
      run: z.object({ runId: z.string(), check: z.string() }).nullable(),
      metrics: z.array(
        z.looseObject({
          metric: z.string(),
          group: z.string(),
          moved: z.boolean(),
          separated: z.boolean().nullable(),
          oldMedian: z.number().nullable(),
          newMedian: z.number().nullable(),
          threshold: z.number().nullable(),
          pValue: z.number().nullable(),
          withPrimary: z.object({ coefficient: z.number() }).nullable(),
          samples: samples.nullable(),
        }),
      ),
    }),
  ),
})

async function dataOf(path: string) {
  return data.parse(await (await ask(`${path}?format=json`)).json())
}

describe('the page of a query', () => {
  test('shows of each architecture result, samples, medians and the band that is not a change', async () => {
    const row = times.rows[0]!
    const html = await (await ask(pathOf(times, row))).text()
    const text = textOf(html)
    for (const result of row.results) {
      for (const number of [result.old.median, result.new.median, result.difference, result.threshold, result.pValue]) {
        expect(html).toContain(`<data value="${number}"`)
      }
      expect(text).toContain(`From Performance (${result.architecture}), attempt 1.`)
    }
    expect(html.match(/<svg class="chart strip"/g)).toHaveLength(2)
    expect(html.match(/<title>old, repetition/g)).toHaveLength(14)
    expect(html.match(/<title>new, repetition/g)).toHaveLength(14)
    for (const said of [
      row.queryName!,
      'Slower, and nothing suggests noise',
      'On arm only, not on amd',
      'Old: 7 samples between',
      'old median ± 5% (default: the built-in limit); a new median in there is not called a change.',
      'The source measures only client_time.',
    ]) {
      expect(text).toContain(said)
    }
  })

  test('has the ratios of counters beside the counters', async () => {
    const path = pathOf(counters, rowOf(counters, 'read_filtered'))
    const { metrics } = (await dataOf(path)).measured[0]!
    const of = (name: string) => metrics.find(({ metric }) => metric === name)!
    const [ratio, bytes, rows] = [of('bytes-per-row'), of('SelectedBytes'), of('SelectedRows')]
    expect(ratio.samples!.new).toEqual(bytes.samples!.new.map((value, at) => value / rows.samples!.new[at]!))
    expect(ratio).toMatchObject({ group: 'work', measurement: null, unit: 'bytes' })
    expect(textOf(await (await ask(path)).text())).toContain('bytes-per-row')
  })

  test('says of a threshold that is the difference why it is, and of no other', async () => {
    const isLargest = ({ pValue, smallestPValue, difference, threshold }: ReportRow['results'][number]) =>
      pValue !== null && pValue === smallestPValue && Math.abs(difference!) === threshold
    const clear = times.rows.find(({ results }) => results.some(isLargest))!
    const html = await (await ask(pathOf(times, clear))).text()
    expect(html.match(/<data value="[^"]*" title="[^"]*">≤\u00a0[0-9.]+%</g)).toHaveLength(
      clear.results.filter(isLargest).length,
    )
    expect(textOf(html)).toContain('with 7 + 7 repetitions, no split of them gives more')
    const others = times.rows.find(({ results }) => !results.some(isLargest))!
    expect(await (await ask(pathOf(times, others))).text()).not.toContain('>≤\u00a0')
    const result = clear.results.find(isLargest)!
    const uneven = { ...result, new: { ...result.new, repetitions: result.old.repetitions! + 1 } }
    expect(largestThreshold(result)).not.toBeNull()
    // Of uneven counts the other side may lie further apart.
    expect(largestThreshold({ ...uneven, smallestPValue: 0.001 })).toBeNull()
  })

  test('shows the samples as they were measured, in their order', async () => {
    const row = rowOf(counters, 'group_by_spill')
    const html = await (await ask(pathOf(counters, row))).text()
    const [measured] = (await dataOf(pathOf(counters, row))).measured
    const time = measured!.metrics.find(({ metric }) => metric === 'client_time')!.samples!
    const shown = [
      ...html.slice(html.indexOf('class="samples"')).matchAll(/data-name="(Old|New)"><data value="([\d.]+)"/g),
    ]
    expect(shown.slice(0, 14).map(([, side, value]) => [side, Number(value)])).toEqual(
      time.old.flatMap((value, index) => [
        ['Old', value],
        ['New', time.new[index]],
      ]),
    )
  })

  test('links report, history and, where there is a profile, the flame graph; and the report links it', async () => {
    const row = rowOf(counters, 'group_by_spill')
    const address = { ...ADDRESS, number: 8, head: head('b') }
    const html = await (await ask(pathOf(counters, row))).text()
    for (const href of [rowPath(address, row), queryOfReportPath(address, row)]) {
      expect(html).toContain(`href="${href.replace('&', '&amp;')}"`)
    }
    expect(html).not.toContain(flameGraphPath(address, row))
    const profiled = await storeReport(
      store,
      9,
      head('c'),
      [{ architecture: null, source: METRICS_RUN }],
      (report) => ({
        ...report,
        rows: report.rows.map((one) => ({
          ...one,
          profile: {
            architecture: null,
            traceType: 'CPU',
            traceTypes: ['CPU', 'Real'],
            words: { total: [], self: [], cautions: [] },
          },
        })),
      }),
    )
    const other = { ...ADDRESS, number: 9, head: head('c') }
    const shown = await (await ask(pathOf(profiled, profiled.rows[0]!))).text()
    expect(shown).toContain(`href="${flameGraphPath(other, profiled.rows[0]!)}"`)
    const page = await (await ask('/r/acme/fast.db/pull/8')).text()
    for (const one of counters.rows) expect(page).toContain(`href="${pathOf(counters, one)}">samples and metrics</a>`)
  })

  test('has the trunk’s history of its query on the architecture that is shown, with its steps, and the way to all of it', async () => {
    const row = rowOf(counters, 'group_by_spill')
    const { test: of, queryIndex, queryName } = row
    const trunk = longRows(200, { test: of, queryIndex, queryName, architecture: '' })
    await store.trunkHistory.save(REPOSITORY.id, trunk)
    const html = await (await ask(pathOf(counters, row), {}, NOW)).text()
    const [samples, history, result] = ['samples', 'history', 'result'].map((id) => html.indexOf(`<h2 id="${id}">`))
    expect(samples).toBeLessThan(history!)
    expect(history).toBeLessThan(result!)
    const text = textOf(html)
    const within = trunk.filter(({ time }) => time >= NOW - 90 * 86_400_000)
    expect(text).toContain(`${within.length} runs from `)
    expect(text).toContain('1 lasting step: +31.')
    expect(html.match(/<svg class="chart history"/g)).toHaveLength(1)
    expect(html).not.toContain('data-history')
    expect(html.match(/<svg class="pull"/g)).toHaveLength(2)
    const marked = /#8 at bbbbbbb: 401\s?ms/
    expect(text).toMatch(marked)
    expect(text).toContain('level between two steps')
    expect(text).not.toContain('a release')
    // The page of the whole history has it for who comes from here, and for nobody else.
    const whole = queryOfReportPath({ ...ADDRESS, number: 8, head: head('b') }, row)
    const asked = async (path: string) => await (await ask(path, {}, NOW)).text()
    const fromHere = await asked(whole)
    expect(textOf(fromHere)).toMatch(marked)
    expect(fromHere).toContain(`data-own="${row.results[0]!.new.median}"`)
    for (const path of [whole.split('?')[0]!, whole.replace('pull=8', 'pull=999'), `${whole}&metric=nothing`]) {
      expect((await asked(path)).includes('class="pull"')).toBe(path.endsWith('nothing'))
    }
    // Half a year later there is nothing to draw, and the page says so.
    const later = textOf(await (await ask(pathOf(counters, row), {}, NOW + 180 * 86_400_000)).text())
    expect(later).toContain('The main branch has no run of it in the last 90 days. The whole history has a year of it')
  })

  test('says of a run whose samples have expired that there are none, and shows the result all the same', async () => {
    const row = times.rows[0]!
    const report = { ...times, pullRequest: { number: 70, baseRef: 'main' }, head: head('d') }
    await store.reports.save(report)
    const html = await (await ask(pathOf(report, row))).text()
    expect(textOf(html)).toContain('The samples are not stored')
    expect(html).toContain(`<data value="${row.results[0]!.threshold}"`)
    expect(html).not.toContain('<svg')
    expect((await dataOf(pathOf(report, row))).measured[0]).toMatchObject({ run: null, metrics: [] })
  })

  test('says what the source rounded, and computes nothing from it', async () => {
    const query = { test: 'rounded', queryIndex: 0, queryName: 'SELECT 1', architecture: null, problems: [] }
    const rounded = { ...query, reportThreshold: null, rounded: true }
    const report = await storeReport(store, 11, head('e'), [
      {
        architecture: null,
        source: [
          { ...rounded, metric: 'client_time', unit: 's', old: [0.1], new: [0.2] },
          { ...rounded, metric: 'ReadBytes', unit: null, old: [100], new: [900] },
        ],
      },
    ])
    const text = textOf(await (await ask(pathOf(report, report.rows[0]!))).text())
    expect(text).toContain('Rounded by the source, which gives medians and a threshold but no samples.')
    expect(text).toContain('For 2 metrics, the numbers are rounded by the source')
    const [measured] = (await dataOf(pathOf(report, report.rows[0]!))).measured
    for (const metric of measured!.metrics) expect(metric.pValue).toBeNull()
  })

  test('a query of one build only has the samples of that one', async () => {
    const row = times.rows.find(({ results }) => results.some(({ status }) => status === 'only-new'))!
    const html = await (await ask(pathOf(times, row))).text()
    expect(html).toContain('Old: no samples.')
    expect(html.match(/<svg class="chart strip"/g)!.length).toBeGreaterThan(0)
  })
})

describe('the metrics of a query', () => {
  const metricsShown = (html: string) =>
    [...html.matchAll(/<tr(?: class="decides")?><th scope="row">(?:<a [^>]*>)?<bdi>([^<]*)<\/bdi>/g)].map(
      ([, name]) => name!,
    )

  test('are all of those that were measured, the most surprising first, those that are equal apart', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const html = await (await ask(path)).text()
    const [measured] = (await dataOf(path)).measured
    // 97 that were measured, and the bytes per row
    expect(measured!.metrics).toHaveLength(98)
    expect(metricsShown(html)).toEqual(measured!.metrics.map(({ metric }) => metric))
    const firstStill = measured!.metrics.findIndex(({ moved }) => !moved)
    expect(measured!.metrics.slice(firstStill).some(({ moved }) => moved)).toBe(false)
    // What caused the time comes before what went with it: the disk, and not the clock.
    expect(measured!.metrics[0]!.metric).toMatch(/^(?:External|DiskWrite|OSWrite|WriteBuffer)/)
    expect(textOf(html)).toContain(
      'sorted by surprise: what does not overlap at all, the largest ratio first; then the smallest p, of equal ones the largest difference in thresholds',
    )
    expect(textOf(html)).toMatch(
      /41 of 98 metrics moved by more than their threshold; chance alone would move about 5 of the 98 that could be tested/,
    )
  })

  test('have the threshold and p that the exact test gives of their samples', async () => {
    const row = rowOf(counters, 'group_by_spill')
    const [measured] = (await dataOf(pathOf(counters, row))).measured
    let compared = 0
    for (const { metric, samples: both, threshold, pValue } of measured!.metrics) {
      const one: Measurement = {
        ...row,
        metric,
        architecture: null,
        reportThreshold: null,
        rounded: false,
        problems: [],
        ...both!,
      }
      const [judged] = classify([one], DEFAULT_THRESHOLDS)
      expect(threshold).toBe(judged!.threshold)
      if (judged!.status !== 'compared') continue
      compared += 1
      expect(pValue).toBe(judged!.pValue)
    }
    expect(compared).toBeGreaterThan(70)
  })

  test('tell what was spilled to disk from what is noise', async () => {
    const spill = (await dataOf(pathOf(counters, rowOf(counters, 'group_by_spill')))).measured[0]!.metrics
    expect(spill.find(({ metric }) => metric === 'ExternalAggregationCompressedBytes')).toMatchObject({
      group: 'io',
      moved: true,
      oldMedian: 0,
    })
    const same = (await dataOf(pathOf(counters, rowOf(counters, 'order_by_limit')))).measured[0]!.metrics
    expect(same.find(({ metric }) => metric === 'SelectedRows')).toMatchObject({ group: 'work', moved: false })
  })

  test('what changed in every repetition is named before what goes with the time, and has no p that contradicts it', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const html = await (await ask(path)).text()
    const text = textOf(html)
    const said = /Changed in every repetition, without overlap, largest ratio first: (.*?) and (\d+) more\./.exec(text)!
    const [measured] = (await dataOf(path)).measured
    const { metrics } = measured!
    const apart = metrics.filter(
      ({ metric, separated, group }) => separated === true && group !== 'time' && metric !== 'client_time',
    )
    expect(Number(said[2])).toBe(apart.length - 5)
    expect(apart.slice(0, 5).every(({ metric }) => said[1]!.includes(`${metric} `))).toBe(true)
    expect(said[1]).toContain('ExternalAggregationWritePart 0 → ')
    expect(text.indexOf('Changed in every repetition')).toBeLessThan(text.indexOf('Moved, and correlates with'))
    const contradicted = metrics.filter(
      ({ separated, pValue }) => separated === true && pValue !== null && pValue > 0.01,
    )
    expect(contradicted.length).toBeGreaterThan(0)
    expect(
      html.match(/<td class="n none" data-name="p"><span title="The sides do not overlap[^"]*">no overlap</g),
    ).toHaveLength(contradicted.length)
    const still = textOf(await (await ask(pathOf(times, times.rows[0]!))).text())
    expect(still).not.toContain('Changed in every repetition')
  })

  test('one of them is drawn against the time, the one that is asked for', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const plain = await (await ask(path)).text()
    expect(plain.match(/<svg class="chart scatter"/g)).toHaveLength(1)
    expect(textOf(plain)).toContain(
      'Moved, and correlates with client_time within each side by more than chance, even with ',
    )
    const asked = await (await ask(`${path}?metric=SelectedMarks`)).text()
    expect(asked).toContain('client_time of each repetition against SelectedMarks')
    expect(textOf(asked)).toContain('SelectedMarks is the same in every repetition')
    const scatter = asked.slice(asked.indexOf('<svg class="chart scatter"'))
    expect(scatter.match(/<circle class="old"/g)).toHaveLength(7)
    expect(scatter.match(/<rect class="new"/g)).toHaveLength(7)
    expect(textOf(await (await ask(`${path}?metric=Nothing`)).text())).toContain(
      'No repetitions of Nothing can be drawn',
    )
  })

  test('can be looked at by group, and every group says how many of it moved', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const html = await (await ask(`${path}?group=io`)).text()
    const [measured] = (await dataOf(path)).measured
    expect(metricsShown(html)).toEqual(
      measured!.metrics.filter(({ group }) => group === 'io').map(({ metric }) => metric),
    )
    expect(textOf(html)).toContain('I/O 22 of 24 moved')
  })

  test('are those of the architecture that is asked for', async () => {
    const row = times.rows[0]!
    const html = await (await ask(`${pathOf(times, row)}?architecture=amd`)).text()
    expect(html).toMatch(/aria-current="true">amd<\/a>/)
    expect(await (await ask(pathOf(times, row))).text()).toMatch(/aria-current="true">arm<\/a>/)
  })
})

describe('as data', () => {
  test('JSON has every sample of every metric', async () => {
    const found = await dataOf(pathOf(times, times.rows[0]!))
    expect(found).toMatchObject({ repository: 'acme/fast.db', row: { test: times.rows[0]!.test } })
    expect(found.measured.map(({ architecture }) => architecture)).toEqual(['amd', 'arm'])
    for (const { metrics } of found.measured) expect(metrics[0]!.samples!.old).toHaveLength(7)
  })

  test('TSV has a line for each sample', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const [names, ...lines] = (await (await ask(`${path}?format=tsv`)).text()).trimEnd().split('\n')
    expect(names!.split('\t')).toEqual([
      'test',
      'query_index',
      'query_name',
      'architecture',
      'metric',
      'unit',
      'side',
      'repetition',
      'value',
      'better',
      'process',
      'place',
      'one_clock',
    ])
    expect(lines).toHaveLength(97 * 14)
    const [measured] = (await dataOf(path)).measured
    const time = measured!.metrics.find(({ metric }) => metric === 'client_time')!.samples!
    const fields = lines
      .map((line) => line.split('\t'))
      .filter((line) => line[4] === 'client_time' && line[6] === 'new')
    expect(fields.map((line) => Number(line[8]))).toEqual(time.new)
    expect(fields.map((line) => Number(line[7]))).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  test.each(['tsv', 'json'])('%s read back is judged as the page is', async (format) => {
    const row = rowOf(counters, 'group_by_spill')
    const exported = await (await ask(`${pathOf(counters, row)}?format=${format}`)).text()
    const { measurements, warnings, decides } = await readTexts({ [`row.${format}`]: exported }, { direct: true })
    expect(warnings).toEqual([])
    expect(decides).toBeUndefined()
    expect(measurements).toHaveLength(97)
    const [judged] = classify(
      measurements.filter(({ metric }) => metric === 'client_time'),
      DEFAULT_THRESHOLDS,
    )
    const { qValue: _, ...shown } = row.results[0]!
    expect(judged).toMatchObject(shown)
  })

  test('the SQL of the page gives the medians of the page', async () => {
    const row = times.rows[0]!
    const html = await (await ask(pathOf(times, row))).text()
    const [, sql] = /<code>(SELECT\s+any\(result\.metric\)[\s\S]*?)<\/code>/.exec(html)!
    const found = z.object({
      stored_old_median: z.number(),
      old_median: z.number(),
      stored_new_median: z.number(),
      new_median: z.number(),
      p_value: z.number(),
    })
    const rows = await clickhouse.read('reproduce', sql!.replaceAll('&#39;', "'"), {}, found)
    const medians = (of: readonly (number | null)[]) => of.map(Number).toSorted((a, b) => a - b)
    expect(medians(rows.map(({ old_median }) => old_median))).toEqual(medians(row.results.map(({ old }) => old.median)))
    for (const one of rows) {
      expect(one.stored_old_median).toBe(one.old_median)
      expect(one.stored_new_median).toBe(one.new_median)
    }
    expect(textOf(html)).toContain(`curl --silent --fail 'https://perf.example.org${pathOf(times, row)}?format=tsv'`)
  })
})

test('the command of the page gives the threshold, p and outcome of the page', async () => {
  const row = rowOf(counters, 'group_by_spill')
  const html = await (await ask(pathOf(counters, row))).text()
  const [, options] = /perf-triage classify row\.tsv ([^<]*)/.exec(html)!
  const file = join(await temporaryFolder(), 'row.tsv')
  await writeFile(file, await (await ask(`${pathOf(counters, row)}?format=tsv`)).text())
  const { stdout } = await perfTriage(['classify', file, ...options!.trim().split(' ')])
  const { queries } = JSON.parse(stdout) as { queries: ClassifiedQuery[] }
  // the command is given the thresholds of the page
  const given = { changedThresholdSource: 'given', unstableThresholdSource: 'given' }
  const { qValue: _, ...shown } = { ...row.results[0]!, ...given }
  expect(queries.find(({ metric }) => metric === 'client_time')).toMatchObject(JSON.parse(JSON.stringify(shown)))
})

describe('who asks for what is not there', () => {
  test('gets the one answer', async () => {
    const row = times.rows[0]!
    const path = pathOf(times, row)
    const missing = await (await ask('/r/acme/fast.db/pull/7/nothing')).text()
    for (const wrong of [
      path.replace('/q-', '/x-'),
      path.replace(head('a'), head('f')),
      path.replace('fast.db', 'slow.db'),
      `${path}%00`,
      `${path}/more`,
      path.replace(/q-.*/, 'q'.repeat(500)),
      path.replace(/q-.*/, encodeURIComponent('<script>')),
    ]) {
      const answer = await ask(wrong)
      expect([wrong, answer.status]).toEqual([wrong, 404])
      expect(await answer.text()).toBe(missing)
    }
  })

  test('of a private repository is asked nothing of the store but whether it may be seen', async () => {
    const report = sampleReport({ repository: { ...sampleReport().repository, isPrivate: true } })
    const { store: memory, questions } = memoryReports(report)
    const site = pages({ store: memory, publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() })
    const row = report.rows[0]!
    const answer = await site.request(ownRowPath({ ...ADDRESS, number: 7, head: report.head }, row))
    expect(answer.status).toBe(404)
    expect(questions).toEqual(['repositoryByName'])
  })

  test('with parameters that make no sense sees the page as it is', async () => {
    const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
    const strange = `${path}?architecture=none&group=none&metric=${'x'.repeat(1000)}`
    expect(await (await ask(strange)).text()).toBe(await (await ask(path)).text())
  })
})

test('is small and quick', async () => {
  const path = pathOf(counters, rowOf(counters, 'group_by_spill'))
  await ask(path)
  const answer = await ask(path, { 'accept-encoding': 'gzip' })
  expect((await answer.arrayBuffer()).byteLength).toBeLessThan(40_000)
})

test('hostile names are text, in every format', async () => {
  const name = fc.oneof(
    fc.constantFrom(
      ...HOSTILE,
      '"><script>alert(1)</script>',
      "'; DROP TABLE runs --",
      'x'.repeat(10_000),
      '\u202e\0\n',
    ),
    fc.string({ unit: anyCodePoint, minLength: 1 }),
  )
  const value = fc.oneof(fc.double(), fc.constantFrom(0, 1, 2))
  const old = fc.array(value, { maxLength: 5 })
  const named = fc.record({ test: name, queryName: name, metric: name, unit: name, architecture: name, old })
  // Several queries in one report: to store one takes as long as its pages.
  const several = fc.uniqueArray(named, {
    minLength: 5,
    maxLength: 5,
    selector: ({ test, queryName }) => JSON.stringify([test, queryName]),
  })
  let number = 100
  await fc.assert(
    fc.asyncProperty(several, async (queries) => {
      number += 1
      const measured = queries.flatMap(({ test, queryName, metric, unit, architecture, old }, queryIndex) => {
        const query = { test, queryIndex, queryName, reportThreshold: null, rounded: false, problems: [] }
        // Where the measurement has none it is that of the run.
        const place = { ...query, architecture: queryIndex === 0 ? null : architecture, old }
        return [
          { ...place, metric: 'client_time', unit, new: [1, 2, 3] },
          { ...place, metric, unit, new: [4, 5, 6] },
        ]
      })
      const report = await storeReport(store, number, number.toString(16).padStart(40, '0'), [
        { architecture: queries[0]!.architecture, source: measured },
      ])
      expect(new Set(report.rows.map(({ queryIndex }) => queryIndex))).toEqual(new Set(queries.keys()))
      for (const row of report.rows) {
        const { metric } = queries[row.queryIndex!]!
        const path = pathOf(report, row)
        for (const query of [
          '',
          `?metric=${encodeURIComponent(metric.toWellFormed())}`,
          '?format=json',
          '?format=tsv',
        ]) {
          const answer = await ask(path + query)
          expect(answer.status).toBe(200)
          const body = await answer.text()
          if (query.includes('format')) continue
          expect(tagsOf(body).replace('<script type= src=>', '')).not.toMatch(
            /<(?:script|img|b x)|javascript:| on[a-z]+=| style=/i,
          )
          expect(body.match(/<h1>/g)).toHaveLength(1)
        }
      }
    }),
    { numRuns: 3 },
  )
})

test('a report from before there were rows like it', async () => {
  const report = sampleReport({
    repository: REPOSITORY,
    pullRequest: { number: 12, baseRef: 'main' },
    rows: [...sampleReport().rows, sampleRow([sampleReport().rows[0]!.results[0]!], { queryName: null })],
  })
  await store.reports.save(report)
  for (const row of report.rows) expect((await ask(pathOf(report, row))).status).toBe(200)
})
