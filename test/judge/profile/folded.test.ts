import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Warnings } from '../../../src/intake/measurement/warnings.ts'
import { foldedDifference, readFolded } from '../../../src/judge/profile/folded.ts'
import { STACK_LIMITS, StackTree } from '../../../src/judge/profile/stack-tree.ts'
import { differenceOf, readOld, type Stack, stacks } from './stacks.ts'

const data = (path: string) => readFile(new URL(`../../data/${path}`, import.meta.url))

/** What was read, `stack count` sorted. */
async function read(...pieces: (Uint8Array | string)[]) {
  const { difference, ...rest } = await readOld(pieces)
  const lines = [...foldedDifference(difference, { normalize: false, fractions: true })]
  return { ...rest, lines: lines.map((line) => line.replace(/ 0$/, '')).sort() }
}

describe('files as they come', () => {
  const SIMPLE = ['a;b 5', 'a;b;c 5', 'a;b;d 4']

  test.each(['simple', 'simple-crlf', 'simple-utf16-be', 'simple-utf16-le'])('%s', async (name) => {
    const { lines, warnings } = await read(await data(`profile-speedscope/stackcollapse/${name}.txt`))
    expect(lines).toEqual(SIMPLE)
    expect(warnings).toEqual([])
  })

  test('lines that are no stacks are passed over, comments without a word', async () => {
    const { lines, warnings } = await read(await data('profile-speedscope/stackcollapse/simple-with-invalids.txt'))
    expect(lines).toEqual(SIMPLE)
    expect(warnings).toEqual([2, 8].map((line) => `f:${line}: not a stack followed by a count`))
    const bad = await read(await data('profile-inferno/flamegraph/bad-lines/bad-lines.txt'))
    expect(bad).toMatchObject({ stacks: 7, badLines: 2 })
    expect(bad.lines).toContain('noploop;main 548')
  })

  test('austin writes `# duration: 23873`, which is no stack', async () => {
    const { lines, warnings } = await read(await data('profile-inferno/flamegraph/austin/flames.txt'))
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['105', '186'])
    expect(warnings).toEqual([])
  })

  test('fractional counts', async () => {
    const { lines } = await read(await data('profile-inferno/flamegraph/fractional-samples/fractional.txt'))
    expect(lines).toContain('cksum;_start;__libc_start_main;main;cksum 31.23')
    expect(lines).toContain('cksum;main;cksum 19')
  })

  test('names with spaces, and with a number behind a point', async () => {
    const spaces = await read(await data('profile-inferno/flamegraph/fractional-samples/with-space.txt'))
    expect(spaces.lines).toContain(
      'cksum;main;core::array::<impl core::default::Default for [T; _]>::default::h67c9877e6f2a615c 19',
    )
    const tricky = await read(await data('profile-inferno/flamegraph/fractional-samples/tricky-stack.txt'))
    expect(tricky.lines).toEqual([
      'rustc;<alloc::vec::Vec<T> as alloc::vec::SpecExtend<T, I>>::from_iter;memcpy@GLIBC_2.2.5 3',
    ])
  })

  test('a real profile loses nothing', async () => {
    const text = gunzipSync(
      await data('profile-speedscope/stackcollapse/perf-vertx-stacks-01-collapsed-all.txt.gz'),
    ).toString()
    const { lines, badLines } = await read(text)
    expect(badLines).toBe(0)
    expect(lines).toEqual(text.trim().split('\n').sort())
  })
})

test.each([
  ['a 5', 'a 5'],
  ['a\t5', 'a 5'],
  ['a  5  ', 'a  5'],
  ['a;b 5.', 'a;b 5'],
  ['a 1 2', 'a 1 2'],
  [' a 5', ' a 5'],
  ['a;;b 1', 'a;;b 1'],
  ['a 0', 'a 0'],
])('%j is a stack', async (line, expected) => {
  expect((await read(line)).lines).toEqual([expected])
})

test.each([
  'a',
  'a5',
  '5',
  ' 5',
  'a;b .5',
  'a;b 1.2.3',
  'a;b -5',
  'a;b 1e5',
  'a;b 5s',
  'a 9007199254740993',
  `a ${'9'.repeat(400)}`,
])('%j is none', async (line) => {
  expect(await read(`${line}\nb 1\n`)).toMatchObject({ lines: ['b 1'], stacks: 1, badLines: 1 })
})

test('a line beyond the limit is passed over in bounded memory, the next one is read', async () => {
  const mebibyte = 'x;'.repeat(512 * 1024)
  const { lines, warnings } = await read(mebibyte, mebibyte, ' 1\nb 2\n')
  expect(lines).toEqual(['b 2'])
  expect(warnings).toEqual([`f:1: longer than ${STACK_LIMITS.lineLength.toLocaleString('en')} characters`])
})

test('how a file is cut into pieces and encoded changes nothing', async () => {
  const encodings = {
    utf8: (text: string) => Buffer.from(text),
    utf8Mark: (text: string) => Buffer.from(`\ufeff${text}`),
    utf16: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    utf16Swapped: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    utf16Unmarked: (text: string) => Buffer.from(`x 1\n${text}`, 'utf16le'),
  }
  await fc.assert(
    fc.asyncProperty(
      stacks().filter((list) => list.length > 0),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[])),
      fc.integer({ min: 1, max: 40 }),
      async (list, end, encoding, size) => {
        const text = list.map(([stack, count]) => `${stack === '' ? 'a' : stack} ${count}${end}`).join('')
        const bytes = encodings[encoding](text)
        const pieces: Uint8Array[] = []
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
        const whole = await read(encoding === 'utf16Unmarked' ? `x 1\n${text}` : text)
        expect((await read(...pieces)).lines).toEqual(whole.lines)
      },
    ),
    { numRuns: 60 },
  )
})

test('any bytes are read without an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const { difference } = await readOld([bytes])
      expect(Number.isFinite(difference.old.sum)).toBe(true)
    }),
  )
})

describe('folded difference', () => {
  const INFERNO = new URL('../../data/profile-inferno/diff-folded/', import.meta.url)

  async function lines(
    old: string,
    { normalize = false, stripHex = false, fractions = false } = {},
  ): Promise<string[]> {
    const tree = new StackTree()
    for (const [side, name] of [
      ['old', old],
      ['new', 'after.txt'],
    ] as const) {
      const content = await readFile(new URL(name, INFERNO))
      const bytes = async function* () {
        yield content
      }
      await readFolded(bytes(), { tree, side, where: name, warnings: new Warnings(10), stripHex })
    }
    return [...foldedDifference(tree.finish(), { normalize, fractions })].sort()
  }

  async function expected(name: string): Promise<string[]> {
    return (await readFile(new URL(`results/${name}`, INFERNO), 'utf8')).trim().split('\n').sort()
  }

  describe('line for line as inferno and difffolded.pl', () => {
    test('counts as they are', async () => {
      expect(await lines('before.txt')).toEqual(await expected('default.txt'))
    })

    test('normalised', async () => {
      expect(await lines('before.txt', { normalize: true })).toEqual(await expected('normalize.txt'))
    })

    test('addresses stripped', async () => {
      expect(await lines('before.txt', { stripHex: true })).toEqual(await expected('strip_hex.txt'))
    })

    test('fractions cut as inferno does, or kept as difffolded.pl does', async () => {
      expect(await lines('before_fractionals.txt')).toEqual(await expected('fractionals.txt'))
      const kept = await lines('before_fractionals.txt', { fractions: true })
      expect(kept).toContain('dd;[unknown];read 14.2343983248723 13')
      expect(kept).toContain('dd;[unknown];read;system_call_[k];__fdget_pos_[k] 11.98 15')
    })

    test('a line without a count is no stack', async () => {
      const all = await expected('default.txt')
      const cut = all.map((line) => line.replace('__fdget_pos_[k] 11 15', '__fdget_pos_[k] 0 15'))
      expect(await lines('bad_before.txt')).toEqual(cut)
    })
  })

  test('a count too small for plain decimals keeps no exponent', () => {
    const shown = (count: number) => [
      ...foldedDifference(differenceOf([['a', count]], []), { normalize: false, fractions: true }),
    ]
    expect(shown(0.1 + 0.2)).toEqual(['a 0.3 0'])
    expect(shown(0.00000025)).toEqual(['a 0.00000025 0'])
  })

  /** difffolded.pl, by its description: counts by stack, the old ones scaled and cut. */
  function model(old: readonly Stack[], fresh: readonly Stack[], normalize: boolean): string[] {
    const counts = new Map<string, [number, number]>()
    const sums: [number, number] = [0, 0]
    for (const [side, list] of [old, fresh].entries()) {
      for (const [stack, count] of list) {
        const pair = counts.get(stack) ?? [0, 0]
        pair[side as 0 | 1] += count
        sums[side as 0 | 1] += count
        counts.set(stack, pair)
      }
    }
    const scaled = normalize && sums[0] !== sums[1] && sums[0] > 0 && sums[1] > 0
    return [...counts]
      .map(([stack, [a, b]]) => `${stack} ${scaled ? Math.trunc((a * sums[1]) / sums[0]) : a} ${b}`)
      .sort()
  }

  test('any two profiles', () => {
    fc.assert(
      fc.property(stacks(), stacks(), fc.boolean(), (old, fresh, normalize) => {
        const difference = differenceOf(old, fresh)
        const found = [...foldedDifference(difference, { normalize, fractions: false })].sort()
        expect(found).toEqual(model(old, fresh, normalize))
      }),
      { numRuns: 300 },
    )
  })

  test('the order of the lines of a file changes the order of the difference only', () => {
    fc.assert(
      fc.property(
        stacks().chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const folded = (stacks: readonly Stack[]) =>
            [...foldedDifference(differenceOf(stacks, list), { normalize: false, fractions: false })].sort()
          expect(folded(shuffled)).toEqual(folded(list))
        },
      ),
    )
  })
})
