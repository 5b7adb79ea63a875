import { describe, expect, test } from 'vitest'
import type { ChangedFunctions } from '../../../../src/judge/profile/changed-functions.ts'
import { type GrownFunctions, grownFunctions } from '../../../../src/judge/profile/grown-functions.ts'
import { StackTree } from '../../../../src/judge/profile/stack-tree.ts'
import { MOST_ON_PATH, offPath, onPath } from '../../../../src/judge/verdict/evidence/on-path.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const slower = classifiedQuery()
const faster = classifiedQuery({ direction: 'faster', difference: -0.2 })

function profileOf(stacks: Readonly<Record<string, readonly [number, number]>>): GrownFunctions {
  const tree = new StackTree()
  for (const [stack, [old, fresh]] of Object.entries(stacks)) {
    tree.add(stack, 'old', old)
    tree.add(stack, 'new', fresh)
  }
  return grownFunctions(tree.finish(), 'samples')
}

const PROFILE = profileOf({
  'main;DB::executeQuery(int);void DB::Aggregator::executeImpl<DB::Method>(unsigned long) const;DB::Arena::alloc(unsigned long)':
    [310, 440],
  'main;DB::executeQuery(int);DB::MergeTreeReader::readRows(unsigned long)': [490, 360],
  'thread;DB::BackupWriter::copyFile(int)': [200, 200],
})

function changedOf(
  names: readonly (readonly [string, string])[],
  more: Partial<ChangedFunctions> = {},
): ChangedFunctions {
  return {
    functions: names.map(([name, file]) => ({ name, file })),
    files: names.map(([, file]) => file),
    unknownHunks: 0,
    unknownFiles: [],
    inlinable: [],
    isCut: false,
    ...more,
  }
}

const AGGREGATOR = ['Aggregator::executeImpl', 'src/Interpreters/Aggregator.cpp'] as const
const BACKUP = ['BackupWriter::copyFile', 'src/Backups/BackupIO.cpp'] as const

describe('on path', () => {
  test('a function that grew and that the pull request changes', () => {
    expect(onPath(slower, PROFILE, changedOf([BACKUP, AGGREGATOR]))).toEqual({
      kind: 'on-path',
      architecture: null,
      functions: [
        {
          name: 'DB::Aggregator::executeImpl',
          file: 'src/Interpreters/Aggregator.cpp',
          oldShare: 0.31,
          newShare: 0.44,
        },
      ],
    })
  })

  test('a frame in a file that it touches, whatever is changed there', () => {
    const profile = profileOf({
      'main;./build/./src/A.cpp:12#DB::A::f(int)': [310, 440],
      'main;DB::B::g()': [690, 560],
    })
    expect(onPath(slower, profile, changedOf([['A::prepare', 'src/A.cpp']]))?.functions).toEqual([
      { name: 'DB::A::f', file: 'src/A.cpp', oldShare: 0.31, newShare: 0.44, onlyFile: true },
    ])
  })

  test.each([
    ['src/b.py', 'process_batch (src/b.py:10)', [['process_batch', 'src/a.py']], null],
    ['lib/b.js', 'parseHeader (lib/b.js:10)', [['parseHeader', 'src/a.js']], null],
    ['src/a.py', 'process_batch (/ci/src/a.py:10)', [['process_batch', 'src/a.py']], 'src/a.py'],
    ['less of its path', 'process_batch (a.py:10)', [['process_batch', 'src/a.py']], 'src/a.py'],
    [
      'the second of two',
      'mix_all (src/b.py:10)',
      [
        ['mix_all', 'src/a.py'],
        ['mix_all', 'src/b.py'],
      ],
      'src/b.py',
    ],
    ['a header of what was compiled in', 'src/Arena.h:3#DB::A::f()', [['A::f', 'src/A.cpp']], 'src/A.cpp'],
    ['a copy of somebody else', '/ci/contrib/x/src/A.cpp:3#A::f()', [['A::f', 'src/A.cpp']], null],
  ] as const)('the file that the frame names is %s', (_name, frame, functions, file) => {
    const profile = profileOf({ [`main;${frame}`]: [310, 440], 'main;other': [690, 560] })
    expect(onPath(slower, profile, changedOf(functions))?.functions.map((one) => one.file) ?? null).toEqual(
      file === null ? null : [file],
    )
  })

  test('of two functions of one name nobody knows which one grew', () => {
    const profile = profileOf({
      'main;process_batch (src/a.py:1)': [0, 10],
      'main;process_batch (src/b.py:1)': [310, 430],
      'main;other': [690, 560],
    })
    expect(onPath(slower, profile, changedOf([['process_batch', 'src/a.py']]))).toBeNull()
  })

  test('a file that was renamed is the same one', () => {
    const profile = profileOf({
      'main;process_batch (src/a.py:1)': [310, 0],
      'main;process_batch (src/b.py:1)': [0, 440],
      'main;other': [690, 560],
    })
    const functions = [{ name: 'process_batch', file: 'src/b.py', earlierFile: 'src/a.py' }]
    expect(onPath(slower, profile, { ...changedOf([]), functions })?.functions).toMatchObject([{ file: 'src/b.py' }])
  })

  test.each([
    ['another function of the file', slower, PROFILE, changedOf([['Aggregator::prepare', AGGREGATOR[1]]])],
    ['one that has not grown', slower, PROFILE, changedOf([['MergeTreeReader::readRows', 'src/R.cpp']])],
    ['a common name alone', slower, PROFILE, changedOf([['executeImpl', 'src/X.cpp']])],
    ['a gain', faster, PROFILE, changedOf([AGGREGATOR])],
    ['no profile', slower, null, changedOf([AGGREGATOR])],
    ['files that nobody could list', slower, PROFILE, null],
    [
      'a growth within chance',
      slower,
      profileOf({ 'main;DB::Aggregator::executeImpl': [310, 360], 'main;x': [690, 640] }),
      changedOf([AGGREGATOR]),
    ],
  ])('nothing: %s', (_name, result, profile, changed) => {
    expect(onPath(result, profile, changed)).toBeNull()
  })

  test('no more are listed than anybody reads', () => {
    const count = MOST_ON_PATH + 5
    const functions = Array.from({ length: count }, (_, index) => [`A${index}::run`, 'src/A.cpp'] as const)
    // each calls the next one
    const stack = functions.map(([name]) => name).join(';')
    const profile = profileOf({ [stack]: [300, 600], other: [700, 400] })
    expect(onPath(slower, profile, changedOf(functions))?.functions).toHaveLength(MOST_ON_PATH)
  })
})

describe('off path', () => {
  test('all that is changed is known, and it is not in the stacks that grew', () => {
    expect(offPath(slower, PROFILE, changedOf([BACKUP]))).toEqual({
      kind: 'off-path',
      architecture: null,
      grown: 2,
      changed: 1,
    })
    expect(onPath(slower, PROFILE, changedOf([BACKUP]))).toBeNull()
  })

  test.each([
    ['the function that grew', PROFILE, changedOf([BACKUP, AGGREGATOR])],
    ['its caller', PROFILE, changedOf([BACKUP, ['DB::executeQuery', 'src/E.cpp']])],
    ['what it calls', PROFILE, changedOf([BACKUP, ['Arena::alloc', 'src/Arena.cpp']])],
    ['a method of the same class', PROFILE, changedOf([['Aggregator::prepare', AGGREGATOR[1]]])],
    ['a function in no class, which may be inlined', PROFILE, changedOf([['helperFunction', 'src/B.cpp']])],
    ['no function', PROFILE, changedOf([])],
    ['a header', PROFILE, changedOf([BACKUP], { inlinable: ['src/Common/Arena.h'] })],
    ['a line in no function', PROFILE, changedOf([BACKUP], { unknownHunks: 1 })],
    ['a file without its diff', PROFILE, changedOf([BACKUP], { unknownFiles: ['src/Large.cpp'] })],
    ['more files than are listed', PROFILE, changedOf([BACKUP], { isCut: true })],
    ['files that nobody could list', PROFILE, null],
    ['no profile', null, changedOf([BACKUP])],
    ['too few stack samples', profileOf({ 'main;DB::A::f': [31, 44], 'main;DB::B::g': [69, 40] }), changedOf([BACKUP])],
    ['nothing that grew', profileOf({ 'main;DB::A::f': [310, 310], 'main;DB::B::g': [690, 690] }), changedOf([BACKUP])],
    ['what no stack has: it may be compiled in', PROFILE, changedOf([BACKUP, ['HashMixer::mix', 'src/HashMixer.cpp']])],
    [
      'what only the old build has a frame of',
      profileOf({ 'main;DB::A::f': [310, 440], 'main;DB::B::g': [490, 560], 'DB::BackupWriter::copyFile()': [200, 0] }),
      changedOf([BACKUP]),
    ],
    [
      'what another file has a function of that name of',
      profileOf({
        'main;A::f': [310, 440],
        'main;B::g': [590, 460],
        'src/C.cpp:1#BackupWriter::copyFile()': [100, 100],
      }),
      changedOf([BACKUP]),
    ],
    [
      'the file of a class that grew',
      PROFILE,
      changedOf([['BackupWriter::copyFile', 'src/Interpreters/Aggregator.cpp']]),
    ],
    [
      'a file that the frames name',
      profileOf({ 'main;src/Backups/BackupIO.cpp:1#x;DB::A::f': [310, 440], 'main;DB::B::g': [690, 560] }),
      changedOf([BACKUP]),
    ],
  ])('nothing where it changes: %s', (_name, profile, changed) => {
    expect(offPath(slower, profile, changed)).toBeNull()
  })

  test('of a gain nothing is said', () => {
    expect(offPath(faster, PROFILE, changedOf([BACKUP]))).toBeNull()
  })

  test('what is not in the stacks that grew is not held against it', () => {
    expect(offPath(slower, PROFILE, changedOf([['MergeTreeReader::readRows', 'src/R.cpp']]))).not.toBeNull()
  })
})
