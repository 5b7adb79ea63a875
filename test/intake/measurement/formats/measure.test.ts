import { describe, expect, test } from 'vitest'
import type { MeasureFile } from '../../../../src/intake/measurement/formats/measure-file.ts'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { inTurns } from '../../../../src/judge/verdict/second-look.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { readTexts } from '../read-text.ts'

const NOW = '2026-11-28T14:00:00.000Z'
const side = (commit: string) => ({ given: commit, commit, build: null, run: './bench' })

/** Turns of two builds, the head first in each second one, with a copy in all. */
function measureJson(turns: number, more: Partial<MeasureFile> = {}): MeasureFile {
  return {
    schemaVersion: 1,
    document: 'perf-triage measure',
    version: '0.1.0',
    base: side('a'.repeat(40)),
    head: side('b'.repeat(40)),
    seed: 1,
    startedAt: NOW,
    endedAt: NOW,
    end: 'precise',
    unmeasured: null,
    buildsAreEqual: false,
    settings: { budgetSeconds: 60, turnLimitSeconds: 60, show: 0.05, filter: null, copies: true },
    environment: {
      cpu: 'EPYC',
      cpus: 4,
      governor: null,
      memoryBytes: 1,
      os: 'Linux 6',
      architecture: 'x64',
      toolchain: [],
      variables: {},
    },
    turns: Array.from({ length: turns }, (_, at) => {
      const order = at % 2 === 0 ? (['base', 'copy', 'head'] as const) : (['head', 'base', 'copy'] as const)
      const folder = { base: 'old', head: 'new', copy: 'equal-builds' }
      const outputs = order.map((build) => ({ build, file: `${folder[build]}/00${at + 1}.txt`, seconds: 1 }))
      return { turn: at + 1, order: [...order], startedAt: NOW, endedAt: NOW, load: 0, only: null, outputs }
    }),
    failures: [],
    equalBuilds: [],
    ...more,
  }
}

/** `go test -bench` of one process that measures three times around the level. */
const goText = (level: number) =>
  `goos: linux\npkg: e/x\n${[1, 1.02, 0.98].map((by) => `BenchmarkA \t 100\t ${level * by} ns/op\n`).join('')}PASS\n`

const LEVELS = [100, 104, 99, 103, 101, 102]
const outputs = (folder: string, by: number) =>
  Object.fromEntries(LEVELS.map((level, at) => [`${folder}/00${at + 1}.txt`, goText(level * by)]))
const EQUAL = {
  test: 'e/x',
  queryIndex: null,
  queryName: 'BenchmarkA',
  metric: 'time',
  architecture: null,
  base: LEVELS.map((level) => level * 1e-9),
  copy: LEVELS.map((level) => level * 1.01e-9),
}
const files = (file: unknown) => ({
  'measure.json': JSON.stringify(file, null, 1),
  ...outputs('old', 1),
  ...outputs('new', 1.3),
  ...outputs('equal-builds', 1.01),
})
const only = (measurements: readonly Measurement[]) => {
  expect(measurements).toHaveLength(1)
  return measurements[0]!
}

describe('measure.json', () => {
  test('gives each output its turn: one process, and its place in the order', async () => {
    const { measurements, warnings, oldCommit, newCommit } = await readTexts(
      files(measureJson(6, { equalBuilds: [EQUAL] })),
    )
    expect(warnings).toEqual([])
    expect({ oldCommit, newCommit }).toEqual({ oldCommit: 'a'.repeat(40), newCommit: 'b'.repeat(40) })
    const measured = only(measurements)
    expect(measured).toMatchObject({ clock: true, equalBuilds: { base: EQUAL.base, copy: EQUAL.copy } })
    expect(measured.taken!.old!.processes).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5])
    // the base is first in the first turn, the head in the second
    expect(measured.taken!.old!.places!.slice(0, 6)).toEqual([0, 1, 2, 9, 10, 11])
    expect(measured.taken!.new!.places!.slice(0, 6)).toEqual([3, 4, 5, 6, 7, 8])
    const [row] = classify(measurements, DEFAULT_THRESHOLDS)
    expect(row).toMatchObject({ outcome: 'changed', old: { repetitions: 6 }, notes: [] })
  })

  test('puts samples into turns that the paired look takes', async () => {
    const once = (level: number) => `goos: linux\npkg: e/x\nBenchmarkA \t 100\t ${level} ns/op\nPASS\n`
    const ofSide = (folder: string) =>
      Object.fromEntries(LEVELS.map((level, at) => [`${folder}/00${at + 1}.txt`, once(level)]))
    const texts = { ...files(measureJson(6)), ...ofSide('old'), ...ofSide('new') }
    expect(inTurns(only((await readTexts(texts)).measurements))?.old).toHaveLength(6)
  })

  test('is no verdict: without outputs it is no run, and what it names beside the folder is not read', async () => {
    await expect(readTexts({ 'measure.json': JSON.stringify(measureJson(6)) })).rejects.toThrow('no measurements')
    const hostile = measureJson(6)
    hostile.turns[0]!.outputs[0]!.file = '../../../etc/passwd'
    const { measurements } = await readTexts(files(hostile))
    expect(only(measurements).old).toHaveLength(18)
  })

  test('says why a folder has nothing to compare', async () => {
    const unmeasured = { reason: 'base-not-built', message: 'the base could not be built:\nno room' } as const
    const texts = { 'measure.json': JSON.stringify(measureJson(0, { end: 'not-built', unmeasured })) }
    await expect(readTexts({ ...texts, 'equal-builds/001.txt': goText(1) })).rejects.toMatchObject({
      problem: 'no-measurements',
      unmeasured: 'base-not-built',
      reason: 'the base could not be built: no room',
    })
    expect((await readTexts({ ...texts, ...outputs('new', 1) })).measurements).toHaveLength(1)
    const { unmeasured: _, ...older } = measureJson(6)
    await expect(readTexts({ 'measure.json': JSON.stringify(older) })).rejects.toMatchObject({ unmeasured: null })
  })

  test('of another program or a damaged one leaves the outputs as they would be without', async () => {
    const without = await readTexts({ ...outputs('old', 1), ...outputs('new', 1.3) })
    for (const text of ['{"schemaVersion":1,"document":"perf-triage measure","turns":7}', '{"results":[]}', 'x']) {
      const { measurements } = await readTexts({ ...files({}), 'measure.json': text })
      expect(measurements).toEqual(without.measurements)
    }
  })

  test('is read of a folder in an archive too', async () => {
    const inside = Object.fromEntries(
      Object.entries(files(measureJson(6))).map(([name, text]) => [`perf/results/${name}`, text]),
    )
    expect(only((await readTexts(inside)).measurements)).toMatchObject({ clock: true })
  })
})
