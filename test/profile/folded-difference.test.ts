import { readFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Warnings } from '../../src/measurement/warnings.ts'
import { readFolded } from '../../src/profile/folded.ts'
import { foldedDifference } from '../../src/profile/folded-difference.ts'
import { StackTree } from '../../src/profile/stack-tree.ts'
import { differenceOf, type Stack, stacks } from './stacks.ts'

const INFERNO = new URL('../data/profile-inferno/diff-folded/', import.meta.url)

async function lines(old: string, { normalize = false, stripHex = false, fractions = false } = {}): Promise<string[]> {
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
