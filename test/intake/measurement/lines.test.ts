import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/intake/measurement/lines.ts'
import { peek } from '../../../src/intake/measurement/peek.ts'
import { computed } from '../../computing-time.ts'

const WANTED = new Set(['time', 'rows', 't'])

/** A line of another metric is empty, but for the first of its query. */
function expected(text: string, test?: number, metric = 0): string {
  const seen = new Set<string>()
  const lines = text.split('\n')
  return lines
    .map((line, index) => {
      const fields = line.split('\t')
      const isLast = index === lines.length - 1
      // a field ends with a tab
      if (isLast || fields.length < (test === undefined ? metric + 2 : test + 3)) return line
      const query = test === undefined ? '' : `${fields[test]}\t${fields[test + 1]}`
      const isFirst = test !== undefined && !seen.has(query)
      seen.add(query)
      return WANTED.has(fields[metric]!) || isFirst ? line : ''
    })
    .join('\n')
}

async function read(
  text: string,
  sizes: readonly number[],
  test?: number,
  metric = 0,
): Promise<{ text: string; told: number }> {
  const bytes = Buffer.from(text)
  const chunks = async function* () {
    for (let at = 0, next = 0; at < bytes.length; next += 1) {
      const size = sizes[next % sizes.length]!
      yield new Uint8Array(bytes.subarray(at, at + size))
      if (size === 1) yield new Uint8Array(0)
      at += size
    }
  }
  let told = 0
  const found: Uint8Array[] = []
  const fields = { metric, ...(test !== undefined && { test }) }
  for await (const piece of linesOf(chunks(), fields, WANTED, () => (told += 1))) found.push(Buffer.from(piece))
  return { text: Buffer.concat(found).toString(), told }
}

const name = fc.constantFrom('time', 'rows', 't', 'tim', 'times', 'Rows', 'märk', '', 'a\r')
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, name, fc.constantFrom('0', '1'), name).map((fields) => fields.join('\t')) },
  fc.array(name, { maxLength: 4 }).map((fields) => fields.join('\t')),
)
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

test.each([
  [0, undefined],
  [0, 1],
  [1, undefined],
  [1, 2],
])(
  'lines of other metrics leave their ends, whatever the chunks; the metric in field %s, the test in field %s',
  async (metric, of) => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), sizes, async (lines, chunked) => {
        const text = lines.map((one) => `${one}\n`).join('')
        const wanted = expected(text, of, metric)
        expect(await read(text, chunked, of, metric)).toEqual({ text: wanted, told: wanted === text ? 0 : 1 })
      }),
      { numRuns: 500 },
    )
  },
)

test('of a last line that was cut there is enough left to be seen, wanted or not', async () => {
  for (const cut of ['time\t1', 'other\t1', 'tim', 'other\t']) {
    const { text } = await read(`other\t0\t\ntime\t0\t\n${cut}`, [3])
    expect(text).toMatch(/^\ntime\t0\t\n./)
    expect(cut.startsWith(text.split('\n').at(-1)!)).toBe(true)
  }
})

test('a line without an end takes no more memory or time than its bytes', async () => {
  const piece = Buffer.alloc(1 << 16, 'x')
  const endless = async function* () {
    for (let count = 0; count < 2000; count += 1) yield new Uint8Array(piece)
  }
  const started = computed()
  let length = 0
  for await (const given of linesOf(endless(), { metric: 0, test: 6 }, WANTED, () => {})) length += given.length
  expect(length).toBe(2000 * piece.length)
  expect(computed() - started).toBeLessThan(2000)
})

test('the memory of a chunk is given back, a part of a larger buffer stays, and so does the head that was looked at before', async () => {
  const table = Buffer.from('other\t1\t\ntime\t2\t\n'.repeat(400))
  const [own, larger] = [new Uint8Array(table), new Uint8Array(table.length + 1)]
  larger.set(table)
  const part = larger.subarray(0, table.length)
  const chunks = async function* () {
    yield own
    yield part
  }
  const { head, bytes } = await peek(chunks(), 16)
  let read = ''
  for await (const given of linesOf(bytes, { metric: 0 }, WANTED, () => {})) read += Buffer.from(given).toString()
  expect(read).toBe('\ntime\t2\t\n'.repeat(800))
  expect([own.length, part.length]).toEqual([0, table.length])
  expect(Buffer.from(head).toString()).toBe('other\t1\t\ntime\t2\t')
})
