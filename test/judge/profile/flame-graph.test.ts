import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { type FlameGraphOptions, flameGraph } from '../../../src/judge/profile/flame-graph.ts'
import type { StackDifference } from '../../../src/judge/profile/stack-difference.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { differenceOf, type Stack, stacks } from './stacks.ts'

const OPTIONS: FlameGraphOptions = {
  names: { title: 'Old and new', old: 'old.txt', new: 'new.txt' },
  unit: 'samples',
  normalize: false,
  icicle: false,
  script: null,
}

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/** The elements of a document that must be well-formed, in order; texts are those of the element itself. */
function elements(svg: string): Element[] {
  const parser = new SaxesParser()
  const all: Element[] = []
  const open: Element[] = []
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' }
    all.push(element)
    open.push(element)
  })
  const text = (content: string) => {
    const at = open.at(-1)
    if (at !== undefined) at.text += content
  }
  parser.on('text', text)
  parser.on('cdata', text)
  parser.on('closetag', () => open.pop())
  parser.write(svg).close()
  return all
}

const draw = (difference: StackDifference, options: Partial<FlameGraphOptions> = {}) =>
  elements(flameGraph(difference, { ...OPTIONS, ...options }))
const texts = (all: readonly Element[], name: string) => all.filter((one) => one.name === name).map(({ text }) => text)
const frames = (all: readonly Element[]) => {
  const titles = texts(all, 'title')
  const groups = all.filter(({ attributes }) => attributes['class']?.startsWith('f '))
  return groups.map(({ attributes }, i) => ({
    title: titles[i]!,
    step: attributes['class']!.slice(2),
    role: attributes['role'],
  }))
}

const OLD: Stack[] = [
  ['main;executeImpl', 310],
  ['main;read', 690],
]
const NEW: Stack[] = [
  ['main;executeImpl', 440],
  ['main;read', 560],
]

test('each frame says its shares of both sides, which has more, and has a role with a name', () => {
  const all = draw(differenceOf(OLD, NEW))
  expect(frames(all)).toEqual([
    { title: 'all\nold 100.0% (1,000 samples), new 100.0% (1,000 samples), 0.0 points', step: 'same', role: 'img' },
    { title: 'main\nold 100.0% (1,000 samples), new 100.0% (1,000 samples), 0.0 points', step: 'same', role: 'img' },
    {
      title: 'executeImpl\nold 31.0% (310 samples), new 44.0% (440 samples), +13.0 points',
      step: 'more2',
      role: 'img',
    },
    { title: 'read\nold 69.0% (690 samples), new 56.0% (560 samples), −13.0 points', step: 'less1', role: 'img' },
  ])
  expect(texts(all, 'text')).toContain('+ executeImpl')
  expect(texts(all, 'text')).toContain('− read')
  expect(all[0]!.attributes).toMatchObject({ role: 'group', 'aria-label': 'Old and new' })
  expect(texts(all, 'desc')[0]).toContain('executeImpl 31% → 44%')
})

test('the legend names each colour, in the classes of the frames', () => {
  const all = draw(differenceOf(OLD, NEW))
  const legend = all.slice(
    all.findIndex(({ attributes }) => attributes['class'] === 'legend'),
    all.findIndex(({ attributes }) => attributes['class'] === 'frames'),
  )
  const classes = legend
    .filter(({ name }) => name === 'g')
    .slice(1)
    .map(({ attributes }) => attributes['class'])
  expect(classes).toEqual(['less3', 'less2', 'less1', 'same', 'more1', 'more2', 'more3'])
  expect(texts(legend, 'text')).toEqual([
    'New count against old:',
    '− 50% or more, gone',
    '− 20 to 50%',
    '− 5 to 20%',
    'same, or may be chance',
    '+ 5 to 25%',
    '+ 25 to 100%',
    '+ 100% or more, new',
  ])
  const style = texts(all, 'style')[0]!
  for (const name of classes) expect(style.match(new RegExp(`--${name}:#`, 'g'))?.length).toBe(2)
  expect(style).toContain('prefers-color-scheme:dark')
})

test('what is gone is seen, in the colour of less', () => {
  const found = frames(
    draw(
      differenceOf(
        [
          ['main;gone', 500],
          ['main;stays', 500],
        ],
        [['main;stays', 500]],
      ),
    ),
  )
  expect(found.find(({ title }) => title.startsWith('gone\n'))).toMatchObject({ step: 'less3' })
})

test('normalised, a side of twice the samples is not more', () => {
  const twice = OLD.map(([stack, count]): Stack => [stack, 2 * count])
  const steps = (normalize: boolean) => frames(draw(differenceOf(OLD, twice), { normalize })).map(({ step }) => step)
  expect(steps(true)).toEqual(['same', 'same', 'same', 'same'])
  expect(steps(false)).toEqual(['more3', 'more3', 'more3', 'more3'])
})

test('the icicle has its root at the top', () => {
  const rows = (icicle: boolean) => {
    const all = draw(differenceOf(OLD, NEW), { icicle })
    return all
      .slice(all.findIndex(({ attributes }) => attributes['class'] === 'frames'))
      .filter(({ name }) => name === 'rect')
      .map(({ attributes }) => Number(attributes['y']))
  }
  const [root, main, leaf] = rows(true)
  expect([main! - root!, leaf! - main!]).toEqual([18, 18])
  const [flameRoot, flameMain] = rows(false)
  expect(flameMain! - flameRoot!).toBe(-18)
})

describe('what the reader must know', () => {
  const about = (difference: StackDifference, options: Partial<FlameGraphOptions> = {}) =>
    texts(draw(difference, options), 'text').filter((text) => text.endsWith('.'))

  test('how many frames are not drawn, and why', () => {
    const many: Stack[] = Array.from({ length: 3000 }, (_, i) => [`f${i}`, 1])
    const deep: Stack = [Array.from({ length: 302 }, () => 'deep').join(';'), 10_000]
    expect(about(differenceOf([...many, deep], []))).toContain(
      '3,002 of 3,303 frames are not drawn: 3,000 narrower than 1/2,000 of the width, 2 deeper than 300 levels.',
    )
  })

  test('too few samples, an empty side, how old was scaled', () => {
    expect(about(differenceOf([['a', 5]], [['a', 500]]))).toContainEqual(
      expect.stringMatching(/^Too few stack samples/),
    )
    expect(about(differenceOf([], [['a', 500]]))).toContainEqual(expect.stringMatching(/^The old side has no stacks/))
    expect(about(differenceOf([], []))).toContain('Neither side has stacks.')
    expect(about(differenceOf([['a', 200]], [['a', 500]]), { normalize: true })).toEqual([
      'old: old.txt (200 samples), new: new.txt (500 samples). Width: both together; old is scaled by 2.50 to the sum of new.',
    ])
  })
})

test('hostile names stay text', () => {
  const hostile = '</title><script>alert(1)</script>&"\'<![CDATA[ ]]> \u0000\u001b\u202e\ud800\uffff\u2028'
  const all = draw(differenceOf([[hostile, 200]], [[hostile, 100]]), {
    names: { title: hostile, old: hostile, new: hostile },
  })
  expect(new Set(all.map(({ name }) => name))).toEqual(new Set(['svg', 'desc', 'style', 'text', 'g', 'rect', 'title']))
  expect(frames(all)[1]?.title).toBe(
    `</title><script>alert(1)</script>&"'<![CDATA[ ]]> \ufffd\ufffd\ufffd\ufffd\ufffd \nold 100.0% (200 samples), new 100.0% (100 samples), 0.0 points`,
  )
})

test('any names and any title give a well-formed document that fetches nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: anyCodePoint, maxLength: 30 }), fc.integer({ min: 0, max: 1e6 }))),
      stacks(),
      fc.string({ unit: anyCodePoint }),
      fc.boolean(),
      (old, fresh, title, icicle) => {
        const svg = flameGraph(differenceOf(old, fresh), {
          ...OPTIONS,
          names: { title, old: title, new: title },
          icicle,
        })
        for (const { name, attributes } of elements(svg)) {
          expect(name).not.toMatch(/script|image|use|foreignObject|^a$/)
          expect(Object.keys(attributes).filter((key) => /^on|href|src/.test(key))).toEqual([])
        }
        expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/url\(|@import/)
      },
    ),
    { numRuns: 150 },
  )
})

test('a script is in the file that stands alone only, whatever it holds', () => {
  const script = 'const text = "]]>" // </script> &'
  const all = draw(differenceOf(OLD, NEW), { script })
  expect(texts(all, 'script')).toEqual([`\n${script}`])
  expect(texts(draw(differenceOf(OLD, NEW)), 'script')).toEqual([])
})

test('names of thousands of characters are cut', () => {
  const long = `${'std::vector<'.repeat(1000)}\u{1f600}`
  const svg = flameGraph(differenceOf([[long, 200]], [[long, 200]]), OPTIONS)
  expect(svg.length).toBeLessThan(8000)
})
