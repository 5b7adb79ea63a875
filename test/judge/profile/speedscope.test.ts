import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNITS } from '../../../src/intake/measurement/trace-type.ts'
import { speedscopeJson } from '../../../src/judge/profile/speedscope.ts'
import { differenceOf, type Stack, stacks } from './stacks.ts'

const schema = JSON.parse(
  readFileSync(new URL('../../data/profile-speedscope/file-format-schema.json', import.meta.url), 'utf8'),
) as object
const validate = new Ajv({ strict: false }).compile(schema)

interface Document {
  readonly name: string
  readonly shared: { readonly frames: readonly { readonly name: string }[] }
  readonly profiles: readonly {
    readonly name: string
    readonly endValue: number
    readonly samples: readonly (readonly number[])[]
    readonly weights: readonly number[]
  }[]
}

const NAMES = { title: 'a "difference" \u2028', old: '<old>', new: 'new\n' }

const byStack = (a: Stack, b: Stack) => (a[0] < b[0] ? -1 : 1)

function summed(list: readonly Stack[]): Stack[] {
  const counts = new Map<string, number>()
  for (const [stack, count] of list) if (count > 0) counts.set(stack, (counts.get(stack) ?? 0) + count)
  return [...counts].sort(byStack)
}

test('the schema refuses what is not of the format', () => {
  expect(validate({ profiles: [{ type: 'sampled' }] })).toBe(false)
})

test('any two profiles are valid by the schema of the format, and come back from it', () => {
  fc.assert(
    fc.property(stacks(), stacks(), fc.constantFrom(...UNITS), (old, fresh, unit) => {
      const document = JSON.parse([...speedscopeJson(differenceOf(old, fresh), NAMES, unit)].join('')) as Document
      expect(validate(document), JSON.stringify(validate.errors)).toBe(true)
      expect(document.name).toBe(NAMES.title)
      expect(document.profiles.map(({ name }) => name)).toEqual(['old: <old>', 'new: new\n'])
      for (const [i, list] of [old, fresh].entries()) {
        const { samples, weights, endValue } = document.profiles[i]!
        const names = samples.map((sample) => sample.map((frame) => document.shared.frames[frame]!.name).join(';'))
        expect(names.map((name, at): Stack => [name, weights[at]!]).sort(byStack)).toEqual(summed(list))
        expect(endValue).toBe(weights.reduce((sum, weight) => sum + weight, 0))
      }
    }),
  )
})

test('more samples than are written at once', () => {
  const list: Stack[] = Array.from({ length: 2500 }, (_, i) => [`main;f${i}`, i + 1])
  const document = JSON.parse([...speedscopeJson(differenceOf(list, []), NAMES, 'samples')].join('')) as Document
  expect(document.profiles.map(({ samples }) => samples.length)).toEqual([2500, 0])
  expect(document.shared.frames.length).toBe(2501)
})
