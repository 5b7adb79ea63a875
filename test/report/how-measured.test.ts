import { describe, expect, test } from 'vitest'
import { howMeasured, type MeasuredHead, usedByPath } from '../../src/report/how-measured.ts'
import { computed } from '../computing-time.ts'

const HEAD = '9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081'
const changed = (...paths: string[]) => paths.map((path) => ({ path, status: 'modified', blob: `of ${path}` }))
const measured = (more: Partial<MeasuredHead>) =>
  howMeasured({ head: HEAD, changed: [], isCut: false, measuredBy: [], actions: [], ...more })

describe('the changed files that decide how a head is measured', () => {
  test.each<[string, boolean]>([
    ['.github/workflows/perf.yml', true],
    ['.github/actions/setup/run.sh', true],
    ['bench/run.js', true],
    ['ci/lib/run.sh', true],
    ['.github/CODEOWNERS', false],
    ['docs/.github/workflows/perf.yml', false],
    ['benchmarks/run.js', false],
    ['src/ci/run.sh', false],
    ['action.yml', false],
  ])('%s', (path, isOne) => {
    const found = measured({ changed: changed('a.cpp', path), measuredBy: ['ci/**'], actions: ['bench'] })
    expect(found?.files ?? []).toEqual(isOne ? [path] : [])
  })

  test('of an action in the root its own file alone', () => {
    const files = (...paths: string[]) => measured({ changed: changed(...paths), actions: [''] })?.files
    expect(files('src/index.js', 'package.json')).toBeUndefined()
    expect(files('src/index.js', 'action.yaml')).toEqual(['action.yaml'])
  })

  test('one that was moved away counts by its earlier name', () => {
    const moved = [{ path: 'old/perf.yml', status: 'renamed', previousPath: '.github/workflows/perf.yml', blob: 'x' }]
    expect(measured({ changed: moved })?.files).toEqual(['old/perf.yml'])
  })

  test('the version is that of the files and what is in them, whatever else is changed and in whichever order', () => {
    const [a, b] = [{ path: 'ci/a', status: 'modified', blob: '1' } as const, { ...changed('ci/b')[0]! }]
    const version = (...files: MeasuredHead['changed']) =>
      measured({ changed: files, measuredBy: ['ci/**'], head: String(files.length) })?.version
    expect(version(b, a, ...changed('a.cpp'))).toBe(version(a, b))
    const others = [version(a), version(b), version({ ...a, blob: '2' }), version({ ...a, status: 'removed' })]
    expect(new Set([version(a, b), ...others]).size).toBe(5)
  })

  test('without the ids of contents, and beyond what GitHub lists, it is of the head alone', () => {
    const unknown = { changed: [{ path: '.github/workflows/perf.yml', status: 'modified' }] }
    expect(measured({ ...unknown, head: 'b' })?.version).not.toBe(measured(unknown)?.version)
    const cut = { changed: changed('a.cpp'), isCut: true }
    expect(measured(cut)).toMatchObject({ files: [], more: 0, isCut: true })
    expect(measured({ ...cut, head: 'b' })?.version).not.toBe(measured(cut)?.version)
  })

  test('ten are named of many', () => {
    const found = measured({
      changed: changed(...Array.from({ length: 12 }, (_, index) => `ci/${index}`)),
      measuredBy: ['ci/**'],
    })
    expect([found?.files.length, found?.more]).toEqual([10, 2])
  })

  test('patterns that would take minutes count as ones that fit', { timeout: 20_000 }, () => {
    const measuredBy = Array.from({ length: 100 }, () => `${'*a'.repeat(98)}b*`)
    const paths = Array.from({ length: 3000 }, (_, index) => `${'a'.repeat(200)}${index}`)
    const started = computed()
    expect(measured({ changed: changed(...paths), measuredBy })?.files.length).toBe(10)
    expect(computed() - started).toBeLessThan(10_000)
  })
})

describe('what a workflow uses by path', () => {
  test.each<[string, readonly string[]]>([
    ['- uses: ./bench', ['bench']],
    ['- uses: ./bench/ # ours', ['bench']],
    ['- "uses": "./bench"', ['bench']],
    ["- { name: a, uses: './a/./b', with: {} }", ['a/b']],
    ['- uses:\n    ./bench', ['bench']],
    ['uses: ./.github/workflows/measure.yml', ['.github/workflows/measure.yml']],
    ['- uses: ./', ['']],
    ['- uses: actions/checkout@v5', []],
    ['- run: reuses ./bench', []],
    ['with:\n  path: head\nuses: ./head/tools/bench', ['head/tools/bench', 'tools/bench']],
    ['with: { path: ./a/b }\nuses: ./a/b', ['a/b', '']],
    ['path: other\nuses: ./head/bench', ['head/bench']],
  ])('%j', (text, expected) => expect(usedByPath(text)).toEqual(expected))

  test('a megabyte of one word takes no second', () => {
    const started = computed()
    for (const text of ['uses:', 'uses: ', 'path"', 'uses : ./a/'].map((part) => part.repeat(100_000))) usedByPath(text)
    expect(computed() - started).toBeLessThan(3000)
  })
})
