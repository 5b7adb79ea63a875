import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'

const result = (command: string, times: readonly number[] | null, more: object = {}) => ({
  command,
  mean: 0.5,
  stddev: 0.05,
  median: 0.45,
  user: 0.4,
  system: 0.1,
  min: 0.4,
  max: 0.7,
  ...(times !== null && { times }),
  ...more,
})
const document = (...results: object[]) => JSON.stringify({ results }, null, 2)
const shown = async (files: Readonly<Record<string, string>>) =>
  (await readTexts(files)).measurements
    .filter(({ metric }) => metric === 'time')
    .map((one) => [one.test, one.queryName, one.old, one.new])

test('times are samples of the command', async () => {
  const files = {
    'sort-base.json': document(result('sort a', [0.4, 0.5])),
    'sort-head.json': document(result('sort a', [0.6, 0.7])),
  }
  expect(await shown(files)).toEqual([['hyperfine', 'sort a', [0.4, 0.5], [0.6, 0.7]]])
  const { measurements } = await readTexts(files)
  expect(measurements.map(({ metric, unit, given }) => [metric, unit, given?.old?.value])).toEqual([
    ['system_time', 's', 0.1],
    ['time', 's', undefined],
    ['user_time', 's', 0.4],
  ])
})

test('one file has both sides where a parameter or the names of the commands say so', async () => {
  const byParameter = document(
    result('./old/sort --n 1', [1, 2], { parameters: { build: 'old', n: '1' } }),
    result('./new/sort --n 1', [3, 4], { parameters: { build: 'new', n: '1' } }),
  )
  expect(await shown({ 'bench.json': byParameter })).toEqual([['hyperfine', './{build}/sort --n 1', [1, 2], [3, 4]]])
  const byName = document(result('base', [1, 2]), result('head', [3, 4]))
  expect(await shown({ 'bench.json': byName })).toEqual([['hyperfine', null, [1, 2], [3, 4]]])
  const inWords = document(
    result('./gold/sort -n 1', [1, 2], { parameters: { dir: 'old' } }),
    result('./gold/sort -n 1', [3, 4], { parameters: { dir: 'new' } }),
  )
  expect(await shown({ 'bench.json': inWords })).toEqual([['hyperfine', './gold/sort -n 1', [1, 2], [3, 4]]])
})

test('one file has both sides where each command has one with the same words beside the side', async () => {
  const names = ['sort-old', 'sort-new', './old/find x', './new/find x']
  const both = document(...names.map((name, index) => result(name, [index, index])))
  expect(await shown({ 'bench.json': both })).toEqual([
    ['hyperfine', './{side}/find x', [2, 2], [3, 3]],
    ['hyperfine', 'sort', [0, 0], [1, 1]],
  ])
  const alone = document(...names.slice(0, 3).map((name) => result(name, [1])))
  await expect(shown({ 'bench.json': alone })).rejects.toThrow('nothing says which')
  const options = document(...['sort --base 5 x', 'sort --head 5 x'].map((name) => result(name, [1])))
  await expect(shown({ 'bench.json': options })).rejects.toThrow('nothing says which')
  expect((await shown({ 'head/bench.json': alone })).map(([, name]) => name)).toEqual([
    './old/find x',
    'sort-new',
    'sort-old',
  ])
})

test('without times, and as CSV, it is a mean with its spread', async () => {
  const csv =
    'command,mean,stddev,median,user,system,min,max,parameter_n\r\n"echo ""a,b""",0.5,0.05,0.45,0.4,0.1,0.4,0.7,8\r\n'
  const old = { ...result('echo "a,b"', null), parameters: { n: '8' } }
  const { measurements } = await readTexts({ 'old.json': document(old), 'new.csv': csv })
  const time = measurements.find(({ metric }) => metric === 'time')!
  const given = { kind: 'mean', value: 0.5, lower: 0.4, upper: 0.7, spread: 0.1, repetitions: null }
  expect(time).toMatchObject({ queryName: 'echo "a,b" (n = 8)', given: { old: given, new: given } })
})

test('what hyperfine itself has written', async () => {
  const text = (name: string) => readFileSync(new URL(`../../../data/format-outputs/${name}`, import.meta.url), 'utf8')
  const { results } = JSON.parse(text('hyperfine.json')) as {
    results: { command: string; times: number[]; mean: number }[]
  }
  const { measurements } = await readTexts({ 'a-old.json': text('hyperfine.json'), 'a-new.csv': text('hyperfine.csv') })
  const times = measurements.filter(({ metric }) => metric === 'time')
  expect(times).toHaveLength(results.length)
  for (const { command, times: samples, mean } of results) {
    const found = times.find(({ queryName }) => queryName === command)!
    expect(found.old).toEqual(samples)
    expect(found.given!.new!.value).toBeCloseTo(mean, 12)
  }
})
