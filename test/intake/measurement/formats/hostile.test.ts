import { describe, expect, test } from 'vitest'
import { parseLogField } from '../../../../src/intake/imports/query-log/field.ts'
import { QueryLogReader } from '../../../../src/intake/imports/query-log/read-query-log.ts'
import { formatsNamed } from '../../../../src/intake/measurement/formats/formats.ts'
import { outputLines } from '../../../../src/intake/measurement/formats/output-lines.ts'
import type { Measurement, RunContents } from '../../../../src/intake/measurement/run.ts'
import { SourceError } from '../../../../src/intake/measurement/source.ts'
import { Warnings } from '../../../../src/intake/measurement/warnings.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { computed } from '../../../computing-time.ts'
import { readTexts } from '../read-text.ts'
import {
  HOSTILE_COMPANIONS,
  HOSTILE_FORMS,
  HOSTILE_QUERY_LOGS,
  HOSTILE_SAMPLES,
  type HostileSample,
  manyNames,
} from './hostile-samples.ts'

const SLOWEST = 5000

/** What is read, or the one line that says what is wrong. Anything else that is thrown fails the test, and so does what takes long. */
async function outcomeOf<T>(read: () => Promise<T>): Promise<T | string> {
  const started = computed()
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    expect(error.message).toMatch(/^[^\n\r]{10,800}$/)
    return error.message
  } finally {
    expect(computed() - started).toBeLessThan(SLOWEST)
  }
}

async function readSample({ format, path }: HostileSample, text: string | Uint8Array, limits = {}) {
  const outcome = await outcomeOf(() => readTexts({ [path]: text }, { format, limits, direct: true }))
  if (typeof outcome !== 'string') oneLineEach(outcome)
  return outcome
}

function oneLineEach({ warnings }: Pick<RunContents, 'warnings'>): void {
  for (const { message } of warnings) expect(message).toMatch(/^[^\n\r]{5,1000}$/)
}

const measurementsOf = (outcome: RunContents | string): readonly Measurement[] =>
  typeof outcome === 'string' ? [] : outcome.measurements

const keyOf = ({ test: of, queryIndex, queryName, metric, unit, better }: Measurement) =>
  [of, queryIndex, queryName, metric, unit, better].join(' | ')

/** Each value with what it is of. */
const valuesOf = (outcome: RunContents | string): string[] =>
  measurementsOf(outcome).flatMap((one) => [
    ...one.old.map((value) => `${keyOf(one)} | old | ${value}`),
    ...one.new.map((value) => `${keyOf(one)} | new | ${value}`),
  ])

/** Places all over a text, and each of the last ones. */
function placesIn(text: string): readonly number[] {
  const end = text.trimEnd().length
  const spread = Array.from({ length: 150 }, (_, index) => Math.floor((end * index) / 150))
  const last = Array.from({ length: Math.min(40, end) }, (_, index) => end - 1 - index)
  return [...new Set([...spread, ...last])]
}

const samples = HOSTILE_SAMPLES.map((sample) => [`${sample.format}, ${sample.path}`, sample] as const)

describe.each(samples)('%s', (_, sample) => {
  const { text, name } = sample

  test('it is read whole, with other ends of lines and in other encodings', async () => {
    const expected = valuesOf(await readSample(sample, text))
    expect(expected).not.toEqual([])
    expect(text).toContain(name ?? '')
    const others = {
      crlf: text.replaceAll('\n', '\r\n'),
      mixed: text.split('\n').reduce((all, line, index) => `${all}${index % 2 === 0 ? '\n' : '\r\n'}${line}`),
      mark: `\ufeff${text}`,
      utf16: Buffer.from(`\ufeff${text}`, 'utf16le'),
      utf16be: Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    }
    for (const [other, bytes] of Object.entries(others))
      expect([other, valuesOf(await readSample(sample, bytes))]).toEqual([other, expected])
  })

  test('cut anywhere it has no value that was not measured', async () => {
    const whole = new Set(valuesOf(await readSample(sample, text)))
    for (const place of placesIn(text)) {
      const cut = text.slice(0, place)
      const others = valuesOf(await readSample(sample, cut)).filter((value) => !whole.has(value))
      expect({ end: cut.slice(-60), others }).toEqual({ end: cut.slice(-60), others: [] })
    }
  })

  test('with other things in the place of numbers and lines no value is judged that is none', async () => {
    for (const [form, broken] of Object.entries(HOSTILE_FORMS)) {
      const rows = classify(measurementsOf(await readSample(sample, broken(text))), DEFAULT_THRESHOLDS)
      const judged = rows.filter(({ status }) => status !== 'failed')
      const medians = judged.flatMap(({ old, new: fresh }) => [old.median ?? 0, fresh.median ?? 0])
      expect([form, medians.filter((median) => !(median >= 0 && median < Number.POSITIVE_INFINITY))]).toEqual([
        form,
        [],
      ])
    }
  })

  test('a word that is the name of something in every object', async () => {
    for (const word of [...new Set(text.match(/[A-Za-z_]{3,}/g))].slice(0, 40)) {
      for (const other of ['__proto__', 'constructor', 'toString'])
        await readSample(sample, text.replaceAll(word, other))
    }
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('the same benchmarks twice are the same benchmarks, or others of their name', async () => {
    const twice = await readSample(sample, name === null ? text + text : manyNames(sample, name, ['', '']))
    const known = new Set(measurementsOf(await readSample(sample, text)).map(keyOf))
    const others = measurementsOf(twice).filter((one) => !known.has(keyOf(one)))
    for (const { queryName } of others) expect(queryName).toMatch(/ \(no\. \d+\)$/)
    if (typeof twice !== 'string')
      expect(twice.warnings.some(({ code }) => code === 'same-name')).toBe(others.length > 0)
  })

  test.runIf(name !== null)(
    'control characters in a name, one without end, and more names than the limit',
    async () => {
      await readSample(sample, text.replaceAll(name!, 'a\u0000\u001b[31m\u0007\u202e\\u0000\\n\r%'))
      const endless = await readSample(sample, text.replaceAll(name!, name!.repeat(100_000 / name!.length)))
      for (const one of measurementsOf(endless)) expect(keyOf(one).length).toBeLessThan(100_100)
      const numbers = Array.from({ length: 120 }, (__, index) => `7${index}`)
      const many = await readSample(sample, manyNames(sample, name!, numbers), { measurements: 100 })
      const said = typeof many === 'string' ? many : many.warnings.map(({ message }) => message).join()
      expect(said).toMatch(/more than [\d,]+ (?:distinct queries|values)/)
    },
  )

  test.each(['', '\n', ' \n \n', '\u0000\u0001\u0002\u00ff'.repeat(2000), '\u00ff\u00fe\u0000'])(
    'nothing in it: %j',
    async (nothing) => {
      expect(measurementsOf(await readSample(sample, nothing))).toEqual([])
    },
  )
})

test.each(Object.entries(HOSTILE_COMPANIONS))('%s beside results never costs them', async (path, text) => {
  const fileName = path.slice(path.lastIndexOf('/') + 1)
  const known = formatsNamed('clickhouse-raw').filter((format) => format.companion)
  expect(known.some((format) => format.matchesName(fileName) === 'yes')).toBe(true)
  const [{ path: raw, text: results }] = HOSTILE_SAMPLES as readonly [HostileSample]
  const read = async (companion: string) => {
    const outcome = await outcomeOf(() =>
      readTexts({ [raw]: results, [path]: companion }, { format: 'clickhouse-raw' }),
    )
    if (typeof outcome !== 'string') oneLineEach(outcome)
    return new Set(valuesOf(outcome))
  }
  const expected = valuesOf(await readTexts({ [raw]: results }))
  const broken = Object.values(HOSTILE_FORMS).map((form) => form(text))
  const cut = placesIn(text).map((place) => text.slice(0, place))
  const names = (text.match(/[A-Za-z_]{3,}/g) ?? []).map((word) => text.replaceAll(word, '__proto__'))
  for (const companion of [text, ...broken, ...cut, ...names, text + text, '', '\u0000\u00ff'.repeat(3000)]) {
    const found = await read(companion)
    expect(expected.filter((value) => !found.has(value))).toEqual([])
  }
})

test.each(Object.entries(HOSTILE_QUERY_LOGS))('a query log as %s', async (_, text) => {
  const read = async (log: string) => {
    const side = { field: parseLogField('Settings.max_threads')!, variants: ['1', '2'] }
    const reader = new QueryLogReader({ side, group: null, metric: null, warnings: new Warnings(100) })
    const bytes = (async function* () {
      yield Buffer.from(log)
    })()
    const outcome = await outcomeOf(async () => {
      await reader.read('log', bytes)
      return reader.finish()
    })
    return typeof outcome === 'string' ? 0 : outcome.executions.rows
  }
  expect(await read(text)).toBe(4)
  const broken = Object.values(HOSTILE_FORMS).map((form) => form(text))
  const cut = placesIn(text).map((place) => text.slice(0, place))
  const names = (text.match(/[A-Za-z_]{3,}/g) ?? []).map((word) => text.replaceAll(word, '__proto__'))
  // one of the forms has everything twice
  for (const log of [...broken, ...cut, ...names]) expect(await read(log)).toBeLessThanOrEqual(8)
  for (const nothing of ['', '\n', '\u0000\u00ff'.repeat(3000)]) expect(await read(nothing)).toBe(0)
})

test('a beginning of thousands of the same few characters is told at once', () => {
  const parts = [
    '\n',
    ' \n',
    '\r\n',
    '\t',
    ' ',
    'a ',
    '1 ',
    '1.0 ',
    ' 1\n',
    '{',
    '{\n',
    '"',
    '-',
    '|',
    '[',
    '(',
    ': ',
    '. ',
    'a;',
    '· ',
  ]
  for (const part of parts) {
    for (const end of ['', 'x', '1 ns', '}']) {
      const head = part.repeat(4000 / part.length) + end
      const slow = formatsNamed('auto').filter((format) => {
        const started = computed()
        format.matchesContent(head)
        return computed() - started > 2000
      })
      expect([part, end, slow.map(({ looksFor }) => looksFor)]).toEqual([part, end, []])
    }
  }
})

test('lines with much space, and not so much that they are left out, cost what others cost', () => {
  const text = `${`${' '.repeat(499)}x`.repeat(7)}\n`.repeat(2000)
  const started = computed()
  expect(
    outputLines(text, { warn: () => {} })
      .slice(0, 2000)
      .every(Boolean),
  ).toBe(true)
  expect(computed() - started).toBeLessThan(500)
})
