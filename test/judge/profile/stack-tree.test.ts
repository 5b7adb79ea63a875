import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { childrenOf } from '../../../src/judge/profile/stack-difference.ts'
import { STACK_LIMITS, StackTree } from '../../../src/judge/profile/stack-tree.ts'
import { differenceOf, stacks } from './stacks.ts'

test('each node has the counts of all stacks through it', () => {
  fc.assert(
    fc.property(stacks(), stacks(), (old, fresh) => {
      const { parent, frame, frames, old: oldWeights, new: newWeights } = differenceOf(old, fresh)
      const paths = ['']
      for (let node = 1; node < parent.length; node += 1) {
        expect(parent[node]).toBeLessThan(node)
        paths.push(`${paths[parent[node]!]};${frames[frame[node]!]}`)
      }
      expect(new Set(paths).size).toBe(paths.length)
      for (const [list, { total, sum }] of [
        [old, oldWeights],
        [fresh, newWeights],
      ] as const) {
        expect(sum).toBe(list.reduce((all, [, count]) => all + count, 0))
        for (const [node, path] of paths.entries()) {
          const through = list.filter(([stack]) => `;${stack};`.startsWith(`${path};`))
          expect(total[node]).toBe(through.reduce((all, [, count]) => all + count, 0))
        }
      }
    }),
  )
})

test('children are those that name a node as their parent, in the order in which they came', () => {
  fc.assert(
    fc.property(stacks(), (list) => {
      const difference = differenceOf(list, [])
      const { first, next } = childrenOf(difference)
      for (let node = 0; node < difference.parent.length; node += 1) {
        const children: number[] = []
        for (let child = first[node]!; child !== 0; child = next[child]!) children.push(child)
        const expected = [...difference.parent.keys()].filter((child) => difference.parent[child] === node)
        expect(children).toEqual(expected)
      }
    }),
  )
})

test('a name that begins like another one is another frame', () => {
  const { frames, parent } = differenceOf(
    [
      ['main;ab;c', 1],
      ['main;a;c', 1],
      ['main;abc;c', 1],
    ],
    [['main;ab', 1]],
  )
  expect(frames).toEqual(['main', 'ab', 'c', 'a', 'abc'])
  expect(parent.length).toBe(8)
})

test('half a character of two is one frame, however often it comes', () => {
  const { frames, old } = differenceOf(
    [
      ['a;\ud800x', 1],
      ['b;\ud800x', 2],
      ['a;\ud800x', 4],
    ],
    [],
  )
  expect(frames).toEqual(['a', '\ufffdx', 'b'])
  expect([...old.self].filter((count) => count > 0)).toEqual([5, 2])
})

test('a full tree says why, and what was in it stays', () => {
  const tree = new StackTree({ ...STACK_LIMITS, nodes: 4, text: 100 })
  expect(tree.add('a;b;c', 'old', 1)).toBeNull()
  expect(tree.add('a;b;d', 'old', 1)).toBe('too-many-frames')
  expect(tree.add('a;b;c', 'new', 2)).toBeNull()
  expect(tree.add('x'.repeat(98), 'old', 1)).toBe('too-much-text')
  const { old, new: fresh } = tree.finish()
  expect([old.sum, fresh.sum]).toEqual([1, 2])
})

/** Names of equal FNV-1a: each of the eight blocks brings the same state to the same one. */
function collidingNames(): string[] {
  const blocks = [['yaczf', 'glbpp'], ...Array.from({ length: 7 }, () => ['numzf', 'tplpp'])]
  return blocks.reduce((names, block) => names.flatMap((name) => block.map((part) => name + part)), [''])
}

test('names chosen to collide cost no long search', () => {
  const names = collidingNames()
  const lines = [...names, ...names].map((name) => new TextEncoder().encode(name))
  let reads = 0
  const counted = (line: Uint8Array) =>
    new Proxy(line, {
      get: (of, key) => {
        reads += 1
        const value: unknown = Reflect.get(of, key, of)
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
  const tree = new StackTree()
  for (const line of lines) tree.addBytes(counted(line), 0, line.length, 'old', 1)
  expect(tree.finish().frames).toEqual(names)
  expect(reads).toBeLessThan(40 * names.join('').length)
})

test('the spellings of one name take no memory', () => {
  const [count, length] = [10_000, 256]
  const bytes = new Uint8Array(count * length)
  // each byte is half a character by itself
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = 0x80 + ((Math.floor(at / length) >> (6 * (at % 3))) & 63)
  const tree = new StackTree()
  const before = process.memoryUsage().arrayBuffers
  for (let from = 0; from < bytes.length; from += length) tree.addBytes(bytes, from, from + length, 'new', 1)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024)
  expect(tree.finish().frames).toEqual(['\ufffd'.repeat(length)])
})

test('131,000 children of one node, and a stack of 200,000 frames', () => {
  const tree = new StackTree()
  for (let i = 0; i < 131_000; i += 1) tree.add(`main;${i}`, 'old', 1)
  for (let i = 130_999; i >= 0; i -= 1) tree.add(`main;${i}`, 'new', 1)
  expect(tree.add('f;'.repeat(200_000), 'new', 1)).toBeNull()
  const { parent, new: fresh } = tree.finish()
  expect(parent.length).toBe(331_003)
  expect(fresh.total[1]).toBe(131_000)
})

test.each([
  ['a line that moved', 'src/A.cpp:120#DB::f', 'src/A.cpp:121#DB::f', 'src/A.cpp:120-121#DB::f'],
  ['the same line', 'src/A.cpp:120#DB::f', 'src/A.cpp:120#DB::f', 'src/A.cpp:120#DB::f'],
  ['a side without lines', 'src/A.cpp:120#DB::f', 'DB::f', 'src/A.cpp:120#DB::f'],
  ['an old side without lines', 'DB::f', 'src/A.cpp:120#DB::f', 'src/A.cpp:120#DB::f'],
  ['a function that moved to another file', 'src/A.cpp:120#DB::f', 'src/B.h:7#DB::f', 'src/A.cpp:120,src/B.h:7#DB::f'],
  [
    'a source file that was built in another folder',
    '/ci/1/src/A.cpp:3#f',
    '/ci/2/src/A.cpp:4#f',
    '/ci/1/src/A.cpp:3,/ci/2/src/A.cpp:4#f',
  ],
  ['a method of a script', 'run (a.py:12)', 'run (a.py:9)', 'run (a.py:9-12)'],
  ['a method as austin writes it', 'a.py:run:12', 'a.py:run:14', 'a.py:run:12-14'],
])('%s is one frame', (_, before, after, name) => {
  const { frames, frame, old, new: fresh } = differenceOf([[`main;${before};x`, 3]], [[`main;${after};x`, 5]])
  expect(frames).toEqual(['main', name, 'x'])
  expect(frame.length).toBe(4)
  expect([...old.total, ...fresh.total]).toEqual([3, 3, 3, 3, 5, 5, 5, 5])
})

test.each([
  ['another symbol on the same line', 'src/A.cpp:120#DB::f', 'src/A.cpp:120#DB::g'],
  ['a static function of another source file', 'src/A.cpp:120#f', 'src/B.cpp:7#f'],
  ['a method of the same name in another script', 'run (a.py:12)', 'run (b.py:12)'],
  ['the same as austin writes it', 'a.py:run:12', 'b.py:run:12'],
  ['a place without a symbol', 'src/A.cpp:120', 'src/A.cpp:121'],
  ['an instance of another type', 'src/A.cpp:120#DB::f<int>', 'src/A.cpp:120#DB::f<long>'],
  ['a number sign that follows no file', 'Foo#f', 'Bar#f'],
])('%s is another frame', (_, before, after) => {
  expect(differenceOf([[before, 1]], [[after, 1]]).frames).toEqual([before, after])
})

test('static functions of one name keep their lines and headers apart from each other', () => {
  const list = ['A.cpp:1#f', 'B.cpp:7#f', 'A.cpp:3#f', 'B.cpp:9#f', 'c.h:5#f', 'f'].map((frame): [string, number] => [
    frame,
    1,
  ])
  const { frames, old } = differenceOf(list, [])
  expect(frames).toEqual(['A.cpp:1-3,c.h:5#f', 'B.cpp:7-9#f'])
  expect([...old.self]).toEqual([0, 4, 2])
})

test('a symbol in many files names the first three, and frames of one symbol have one node below each parent', () => {
  const list = Array.from({ length: 9 }, (_, i): [string, number] => [`main;src/F${i}.h:${i + 1}#std::sort`, 1])
  const { frames, parent, old } = differenceOf(list, [])
  expect(frames).toEqual(['main', 'src/F0.h:1,src/F1.h:2,src/F2.h:3,…#std::sort'])
  expect(parent.length).toBe(3)
  expect(old.self[2]).toBe(9)
})
