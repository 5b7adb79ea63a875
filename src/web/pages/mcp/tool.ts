import { z } from 'zod'
import { plainText } from '../../../text/markdown.ts'
import { references } from './outside.ts'
import type { Sources } from './sources.ts'

/** A question that a program may ask, with the schemas of both sides. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** A sentence of ours where there is no answer. */
  readonly ask: (sources: Sources, given: never) => Promise<Draft | string>
}

/** The answer with at most so many items of its list: with more of them it is never shorter. */
export type Draft = (most: number) => object

/** Bytes of the JSON of an answer: a model pays for each of them. */
export const MOST_BYTES = 2_000

const MOST_ITEMS = 40

/** Parts of every answer. */
const FRAME = {
  answer: z.string().describe('The answer in short. A mark such as [1] stands for a text under references.'),
  proof: z
    .string()
    .describe(
      'Where to check it: a page, or a command. A replay judges again and lists only what comes out otherwise.',
    ),
  references,
  more: z.int().nonnegative().describe('Items that are left out, since an answer has at most 2 KB.'),
}

type Frame = z.output<z.ZodObject<typeof FRAME>>

export function tool<In extends z.ZodRawShape, Out extends z.ZodRawShape>(of: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: In
  readonly output: Out
  readonly ask: (
    sources: Sources,
    given: z.output<z.ZodObject<In>>,
  ) => Promise<((most: number) => Frame & z.input<z.ZodObject<Out>>) | string>
}): Tool {
  return { ...of, input: z.strictObject(of.input), output: z.strictObject({ ...FRAME, ...of.output }) }
}

/** The answer with as many items as fit; where even none is too much, of letters with three bytes each, its texts are cut further. */
export function fitted(draft: Draft): object {
  const all = draft(MOST_ITEMS)
  if (isFitting(all)) return all
  let best = draft(0)
  if (!isFitting(best)) return cutTexts(best) as object
  let [fits, exceeds] = [0, MOST_ITEMS]
  while (exceeds - fits > 1) {
    const most = Math.floor((fits + exceeds) / 2)
    const answer = draft(most)
    if (isFitting(answer)) [best, fits] = [answer, most]
    else exceeds = most
  }
  return best
}

function isFitting(answer: object): boolean {
  return Buffer.byteLength(JSON.stringify(answer)) <= MOST_BYTES
}

/** Characters of a text from outside where there is no room. */
const SHORTEST = 40

function cutTexts(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'untrusted' ? plainText(value, SHORTEST) : value
  if (Array.isArray(value)) return value.map((one) => cutTexts(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutTexts(one, name)]))
}

/** The first items, and how many more there are. */
export function first<T>(items: readonly T[], most: number): readonly [shown: readonly T[], more: number] {
  return [items.slice(0, most), Math.max(0, items.length - most)]
}

export const NO_REPORT = 'There is no such report, or it may not be seen.'
export const NO_REPOSITORY = 'There is no such repository, or it may not be seen.'

/** Inputs that several tools share. */
export const REPOSITORY = z.string().max(141).describe('owner/name')
export const OF_REPORT = {
  repository: REPOSITORY,
  pullRequest: z.int().min(1).max(0xffff_ffff),
  head: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional()
    .describe('A commit that was measured; absent: the newest.'),
}
export const ROW = z.string().max(300).describe('The id of a row, such as qf7e, or its name.')
