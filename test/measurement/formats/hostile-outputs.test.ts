import { expect, test } from 'vitest'
import { SourceError } from '../../../src/measurement/source.ts'
import { readTexts } from '../read-text.ts'
import { actionBenchmarkFile } from './action-benchmark-snapshots.ts'
import { filesOf, outputFile } from './output-files.ts'

/** A whole output of each tool, under a name that says its side. */
const OUTPUTS: Readonly<Record<string, string>> = {
  'criterion new/sample.json': filesOf('format-outputs/criterion')['new/fib 20/new/sample.json']!,
  'criterion new/estimates.json': filesOf('format-outputs/criterion')['new/fib 20/new/estimates.json']!,
  'criterion new.txt': outputFile('criterion-new.txt'),
  'libtest new.txt': outputFile('libtest.txt'),
  'libtest new.jsonl': outputFile('libtest.jsonl'),
  'pyperf new.json': outputFile('pyperf-new.json'),
  'jmh new.json': outputFile('jmh.json'),
  'asv new.json': Object.values(filesOf('format-outputs/asv/box'))[0]!,
  'asv new.txt': outputFile('asv-run.txt'),
  'asv compare.txt': outputFile('asv-compare.txt'),
  'vitest new.json': outputFile('vitest.json'),
  'benchmarkjs new.txt': outputFile('benchmarkjs.txt'),
  'catch2 new.txt': outputFile('catch2.txt'),
  'catch2 new.xml': outputFile('catch2.xml'),
  'iai new.txt': outputFile('iai.txt'),
  'benchmarkdotnet new.json': actionBenchmarkFile('benchmarkdotnet.json'),
  'js-time new.txt': outputFile('js-time.txt'),
  'ruby new.txt': outputFile('ruby.txt'),
  'dart new.txt': 'Template(RunTime): 0.1568472448997197 us.\n',
}

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'cut in half': (text) => text.slice(0, text.length / 2),
  'cut in its last line': (text) => text.trimEnd().slice(0, -3),
  'of words for numbers': (text) => text.replaceAll(/\d+(?:\.\d+)?/g, (number) => `"x${number.length}"`),
  'of NaN': (text) => text.replaceAll(/(?<=[:[,]\s*)-?\d+\.\d+(?:e[+-]?\d+)?/gi, 'NaN'),
  'of numbers that are too large': (text) => text.replaceAll(/\d+\.\d+/g, '9e9999'),
  'of digits without end': (text) => text.replaceAll(/\d+\.\d+/g, (number) => `${number}${'7'.repeat(500)}`),
  'of deep lists': (text) => text.replace(/[[{]/, (open) => `${open}${'['.repeat(100_000)}`),
  'of one endless line': (text) => `${text.split('\n').join(' ')}${' '.repeat(200_000)}x`,
  'of names without end': (text) => text.replaceAll('fib', 'fib'.repeat(5000)),
  'of a name that is a key of every object': (text) => text.replaceAll(/"fib[^"]*"/g, '"__proto__"'),
}

const cases = Object.keys(OUTPUTS).flatMap((output) => Object.keys(FORMS).map((form) => [output, form] as const))

test.each(cases)('%s %s: measurements, or one line that says what is wrong', async (output, form) => {
  const [format, path] = output.split(' ') as [string, string]
  const text = FORMS[form]!(OUTPUTS[output]!)
  const start = performance.now()
  try {
    const { measurements, warnings } = await readTexts({ [path]: text }, { format })
    for (const { old, new: fresh } of measurements) expect([...old, ...fresh].every(Number.isFinite)).toBe(true)
    for (const { message } of warnings) expect(message).not.toContain('\n')
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    expect(error.message).not.toContain('\n')
    expect(error.message.length).toBeLessThan(800)
  }
  expect(performance.now() - start).toBeLessThan(3000)
})

test('an output of a million names ends at a limit', async () => {
  const limits = { measurements: 1000 }
  const text = Array.from({ length: 3000 }, (_, index) => `test n${index} ... bench: ${index} ns/iter (+/- 1)\n`).join(
    '',
  )
  const reading = readTexts({ 'new.txt': text }, { limits })
  await expect(reading).rejects.toThrow('more than 1,000 distinct queries')
})

test.each(Object.keys(OUTPUTS))(
  '%s is the same with a byte order mark and in UTF-16, as PowerShell writes it',
  async (output) => {
    const [format, path] = output.split(' ') as [string, string]
    const text = OUTPUTS[output]!
    const read = async (bytes: string | Uint8Array) =>
      await readTexts({ [path]: bytes }, { format }).then(
        ({ measurements, warnings }) => ({ measurements, warnings }),
        (error: unknown) => (error as Error).message,
      )
    const expected = await read(text)
    expect(await read(`\ufeff${text}`)).toEqual(expected)
    expect(await read(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(expected)
    expect(await read(Buffer.from(`\ufeff${text}`, 'utf16le').swap16())).toEqual(expected)
  },
)
