import { array, assert, asyncProperty, constantFrom, integer, string } from 'fast-check'
import { expect, test } from 'vitest'
import { isActionsLog, withoutStamps } from '../../../src/intake/measurement/actions-log.ts'
import { outputFile } from './formats/output-files.ts'
import { readTexts } from './read-text.ts'

const AT = '2026-01-02T03:04:05.1234567Z '

async function unstamped(bytes: Uint8Array, sizes: readonly number[]): Promise<string> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length]!
      yield bytes.subarray(at, at + size)
      at += size
    }
  }
  const parts: Uint8Array[] = []
  for await (const part of withoutStamps(chunks())) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

test('whatever the lines and the chunks are, the lines come back without their stamps', async () => {
  const line = constantFrom('', 'ok', 'Ünï — 12 µs', `${AT}twice`, 'a\tb\tc', 'x'.repeat(1500), '2026-01-02')
  const before = constantFrom('', 'test (18, linux)\tRun go test\t', 'bench\tUNKNOWN STEP\t\ufeff')
  await assert(
    asyncProperty(
      array(line, { minLength: 1 }),
      before,
      array(integer({ min: 1, max: 2000 }), { minLength: 1 }),
      async (lines, of, sizes) => {
        const log = Buffer.from(lines.map((one) => `${of}${AT}${one}\n`).join(''))
        expect(await unstamped(log, sizes)).toBe(lines.map((one) => `${one}\n`).join(''))
      },
    ),
    { numRuns: 300 },
  )
})

test('a stamp inside a line is a part of it, wherever a chunk ends', async () => {
  const line = `${'x'.repeat(1500)}${AT}y\n`
  expect(await unstamped(Buffer.from(AT + line), [AT.length + 1500, 5000])).toBe(line)
})

test('a line without a stamp stays as it is', async () => {
  await assert(
    asyncProperty(string({ unit: 'binary' }), integer({ min: 1, max: 9 }), async (text, size) => {
      const bytes = Buffer.from(text.replaceAll('\ufeff', ''))
      expect(await unstamped(bytes, [size])).toBe(bytes.toString('utf8'))
    }),
  )
})

test('a log is known by its first stamp', () => {
  expect(isActionsLog(`${AT}hello\n`)).toBe(true)
  expect(isActionsLog(`\ufeff${AT}hello\n`)).toBe(true)
  expect(isActionsLog('2026-01-02T03:04:05.1234567Z\n')).toBe(true)
  expect(isActionsLog(`a\tb\t${AT}hello\n`)).toBe(true)
  expect(isActionsLog('2026-01-02T03:04:05.123Z hello\n')).toBe(false)
  expect(isActionsLog(`a\t${AT}hello\n`)).toBe(false)
  expect(isActionsLog(`a b ${AT}hello\n`)).toBe(false)
})

/** What the log of a job has before what a step printed. */
const SETUP = [
  "Current runner version: '2.330.0'",
  '##[group]Runner Image Provisioner',
  'Version: 20260101.1',
  '##[endgroup]',
  ...Array.from({ length: 400 }, (_, index) => ` * [new branch]  topic-${index} -> origin/topic-${index}`),
  '##[group]Run go test -bench .',
  '\u001b[36;1mgo test -bench .\u001b[0m',
  'shell: /usr/bin/bash -e {0}',
  '##[endgroup]',
]

test.each([
  'go.txt',
  'ruby.txt',
  'libtest.txt',
  'criterion-old.txt',
  'benchmarkjs.txt',
  'catch2.txt',
  'asv-run.txt',
  'hyperfine.json',
])('the log of a job that printed %s says the same', async (file) => {
  const text = outputFile(file)
  const stamped = (lines: readonly string[], before = '') => lines.map((line) => `${before}${AT}${line}\n`).join('')
  const lines = text.trimEnd().split('\n')
  const name = `new.${file.split('.')[1]!}`
  const { measurements } = await readTexts({ [name]: text })
  expect(measurements).not.toEqual([])
  const copied = await readTexts({ [name]: stamped(lines) })
  expect(copied.measurements).toEqual(measurements)
  const viewed = await readTexts({ [name]: stamped(lines, 'bench (arm)\tMeasure\t') })
  expect(viewed.measurements).toEqual(measurements)
  if (file.endsWith('.json')) return
  const whole = await readTexts({ [name]: `\ufeff${stamped([...SETUP, ...lines, 'Post job cleanup.'])}` })
  expect(whole.measurements).toEqual(measurements)
})
