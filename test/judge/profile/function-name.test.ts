import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  frameName,
  functionName,
  isSameFunction,
  LONGEST_NAME,
  shortFunctionName,
} from '../../../src/judge/profile/function-name.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'

describe('C++', () => {
  test.each([
    ['main', 'main'],
    ['DB::Aggregator::executeImpl(DB::AggregatedDataVariants&, unsigned long) const', 'DB::Aggregator::executeImpl'],
    [
      'void DB::Aggregator::executeImpl<DB::AggregationMethodOneNumber<unsigned int, HashMap<int, char*>>>(int, DB::Arena*) const',
      'DB::Aggregator::executeImpl',
    ],
    ['DB::(anonymous namespace)::FunctionX::executeImpl(std::vector<int> const&) const', 'DB::FunctionX::executeImpl'],
    ['(anonymous namespace)::foo(int)', 'foo'],
    ["`anonymous namespace'::foo", 'foo'],
    ['DB::f() (.llvm.1234)', 'DB::f'],
    ['DB::f.llvm.1234', 'DB::f'],
    ['foo.constprop.0.isra.1', 'foo'],
    ['foo(int) [clone .part.0] [clone .cold]', 'foo'],
    ['foo [clone .cold]', 'foo'],
    ['DB::MergeTreeReader::read()::$_0::operator()() const', 'DB::MergeTreeReader::read'],
    ['DB::f(int)::{lambda(int)#1}::operator()(int) const', 'DB::f'],
    ["DB::f(int)::'lambda'(auto)::operator()<int>(auto) const", 'DB::f'],
    ["DB::f(int) const::'lambda0'()::operator()() const", 'DB::f'],
    ['DB::f()::(lambda at src/A.cpp:12:3)::operator()() const', 'DB::f'],
    ['foo(int)::Local::run()', 'foo::Local::run'],
    [
      "std::__1::__function::__policy_invoker<void ()>::__call_impl<std::__1::__function::__default_alloc_func<ThreadPoolImpl<std::__1::thread>::scheduleImpl<void>(std::__1::function<void ()>)::'lambda0'(), void ()>>(std::__1::__function::__policy_storage const*)",
      'std::__1::__function::__policy_invoker::__call_impl',
    ],
    ['char const* DB::name()', 'DB::name'],
    ['decltype(auto) DB::visit<int>(int)', 'DB::visit'],
    ['unsigned long DB::x<(DB::E)1, (a->b)>(int)', 'DB::x'],
    ['std::vector<int>::push_back[abi:ne180100](int&&)', 'std::vector::push_back'],
    ['non-virtual thunk to DB::A::f()', 'DB::A::f'],
    ['DB::Block::~Block()', 'DB::Block::~Block'],
    ['DB::Field::operator<(DB::Field const&) const', 'DB::Field::operator<'],
    ['bool DB::operator< <int>(int)', 'DB::operator<'],
    ['A::operator()(int)', 'A::operator()'],
    ['A::operator[](unsigned long)', 'A::operator[]'],
    ['A::operator->() const', 'A::operator->'],
    ['A::operator<=>(A const&) const', 'A::operator<=>'],
    ['A::operator=(A&&)', 'A::operator='],
    ['A::operator bool() const', 'A::operator bool'],
    ['A::operator DB::Field const&() const', 'A::operator DB::Field'],
    ['operator new[](unsigned long)', 'operator new[]'],
    ['operator delete(void*)', 'operator delete'],
    ['operator""_kb(unsigned long long)', 'operator""_kb'],
    ['memcpy@@GLIBC_2.14', 'memcpy'],
    ['func+0x12', 'func'],
    ['libc.so.6`malloc', 'malloc'],
    ['tcp_sendmsg_[k]', 'tcp_sendmsg'],
  ])('%s', (frame, name) => {
    expect(functionName(frame)).toBe(name)
  })
})

describe('other languages', () => {
  test.each([
    ['core::iter::Iterator::map::h0123456789abcdef', 'core::iter::Iterator::map'],
    ['<alloc::vec::Vec<T> as core::ops::Drop>::drop', 'alloc::vec::Vec::drop'],
    ['_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$::drop::h0123456789abcdef', 'alloc::vec::Vec::drop'],
    ['tokio::run::{{closure}}::h0123456789abcdef', 'tokio::run'],
    ['a::b::{closure#0}', 'a::b'],
    ['main.main.func1', 'main::main'],
    ['github.com/foo/go-bar/pkg.(*Type).Method', 'github::com::foo::go-bar::pkg::Type::Method'],
    ['github.com/foo/bar.Fn[...]', 'github::com::foo::bar::Fn'],
    ['java/util/ArrayList.add', 'java::util::ArrayList::add'],
    ['java.util.ArrayList.add(ArrayList.java:12)', 'java::util::ArrayList::add'],
    ['com.x.Foo.lambda$run$0', 'com::x::Foo::run'],
    ['com.x.Foo$Bar.run', 'com::x::Foo::Bar::run'],
    ['com.x.Foo$1.run', 'com::x::Foo::run'],
    ['src/a.py:func', 'func'],
    ['func (src/a.py:12)', 'func'],
  ])('%s', (frame, name) => {
    expect(functionName(frame)).toBe(name)
  })
})

test.each([
  '',
  ' ',
  '0x7f00aa',
  '7f3aaabbcc',
  'ffffffff81a0',
  '[unknown]',
  '[libc.so.6]',
  '(filtered by script)',
  '??',
  'a.py:<module>:3',
  '<module> (a.py:3)',
  'src/A.cpp:12',
  'SELECT 1, 2',
  'x'.repeat(LONGEST_NAME + 1),
])('no function: %s', (frame) => {
  expect(functionName(frame)).toBeNull()
})

test.each([
  ['src/A.cpp:123#DB::f(int)', 'DB::f', 'src/A.cpp', 123],
  [
    './build_docker/./src/A.cpp:7#DB::A::f(int)::{lambda(int)#1}::operator()(int) const',
    'DB::A::f',
    './build_docker/./src/A.cpp',
    7,
  ],
  ['f (src/a.py:12)', 'f', 'src/a.py', 12],
  ['src/a.py:f:12', 'f', 'src/a.py', 12],
  ['src/a.py:f', 'f', 'src/a.py', null],
  ['src/A.cpp:12', null, 'src/A.cpp', 12],
  ['src/A.cpp:120-121#DB::f(int)', 'DB::f', 'src/A.cpp', 120],
  ['src/A.cpp:120,src/B.h:7-9#DB::f(int)', 'DB::f', null, null],
  ['src/A.h:1,src/B.h:2,src/C.h:3,…#DB::f(int)', 'DB::f', null, null],
  ['DB::f(int)::{lambda(int)#1}::operator()(int) const', 'DB::f', null, null],
])('the place: %s', (frame, name, file, line) => {
  const found = frameName(frame)
  expect([found.parts?.join('::') ?? null, found.file, found.line]).toEqual([name, file, line])
})

test('the last two parts, as people call it', () => {
  expect(shortFunctionName('void DB::Aggregator::executeImpl<int>(int) const')).toBe('Aggregator::executeImpl')
  expect(shortFunctionName('main')).toBe('main')
  expect(shortFunctionName('[unknown]')).toBe('[unknown]')
})

const pieces = fc.array(
  fc.constantFrom(
    ...[
      'DB',
      '::',
      'operator',
      '<',
      '>',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ' ',
      'const',
      '*',
      '&',
      '~',
      '$',
      '$_0',
      '.',
      '/',
    ],
    ...[
      "'lambda'",
      '{lambda(int)#1}',
      '(anonymous namespace)',
      '`',
      "'",
      '"',
      '""',
      '#',
      ':',
      '12',
      '.cpp',
      '.py',
      '->',
      '-',
    ],
    ...[
      '<=>',
      'new',
      'bool',
      '0x12',
      'llvm',
      'func1',
      'h0123456789abcdef',
      ' as ',
      '@',
      '+',
      '!',
      ',',
      '\ud83d',
      '_[k]',
      'é',
    ],
  ),
  { maxLength: 30 },
)

test('whatever the frame, a name is its own name', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        pieces.map((parts) => parts.join('')),
        fc.string({ unit: anyCodePoint, maxLength: 60 }),
      ),
      (frame) => {
        const name = functionName(frame)
        if (name !== null) {
          expect(name).not.toBe('')
          expect(functionName(name)).toBe(name)
        }
      },
    ),
    { numRuns: 5000 },
  )
})

test('10,000 characters of anything take milliseconds', () => {
  const nasty = [
    '<',
    '(',
    'a::',
    'a<',
    'operator',
    'operator ',
    '::{',
    '<<a as b>::',
    '$',
    'a b ',
    '.1',
    "'lambda",
    '-a',
    'a.func1.',
    '{lambda',
    '[',
    ' <',
    'a#',
    '(x:1',
  ]
  const start = computed()
  for (const piece of nasty) functionName(piece.repeat(10_000 / piece.length))
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...nasty), { minLength: 2, maxLength: 4 }), (parts) => {
      const text = parts.join('')
      functionName(text.repeat(Math.ceil(10_000 / text.length)).slice(0, 10_000))
    }),
    { numRuns: 100 },
  )
  // 119 names; a search that goes back would take minutes for one
  expect(computed() - start).toBeLessThan(3000)
})

test('frames of real profiles: names without what only compilers and profilers write', () => {
  const read = (path: string) => readFileSync(new URL(`../../data/${path}`, import.meta.url))
  const folded = [
    gunzipSync(read('profile-speedscope/stackcollapse/perf-vertx-stacks-01-collapsed-all.txt.gz')),
    read('profile-inferno/diff-folded/before.txt'),
    read('profile-inferno/flamegraph/narrow-blocks/narrow-blocks.txt'),
  ].join('\n')
  const frames = new Set(folded.split('\n').flatMap((line) => line.replace(/ \d+$/, '').split(';')))
  expect(frames.size).toBeGreaterThan(200)
  for (const frame of frames) {
    const name = functionName(frame)
    if (name === null) expect(frame).toMatch(/^ ?$|^\[.*\]$|^0x/)
    else expect(name).toMatch(/^[\w:~-]+$/)
  }
  expect(functionName('io/netty/channel/AbstractChannel$AbstractUnsafe:.flush0_[j]')).toBe(
    'io::netty::channel::AbstractChannel::AbstractUnsafe::flush0',
  )
})

describe('same function', () => {
  const of = (name: string) => name.split('::')

  test.each([
    ['Aggregator::executeImpl', 'DB::Aggregator::executeImpl', true],
    ['DB::Aggregator::executeImpl', 'Aggregator::executeImpl', true],
    ['DB::Aggregator::execute', 'DB::Aggregator::execute', true],
    ['convertToFullIfNeeded', 'DB::convertToFullIfNeeded', true],
    ['hash_row_group', 'hash_row_group', true],
    ['Set::insertFromBlock', 'Set::insertFromBlock', true],
    ['Set::insertFromBlock', 'DB::Set::insertFromBlock', true],
    ['Impl::applyToVector', 'DB::FunctionPlus::Impl::applyToVector', false],
    ['Set::insert', 'DB::Set::insert', false],
    ['Set::insert', 'DB::Map::insert', false],
    ['Impl::apply', 'DB::FunctionPlus::Impl::apply', false],
    ['FunctionPlus::Impl::apply', 'DB::FunctionPlus::Impl::apply', true],
    ['execute', 'DB::Pipeline::execute', false],
    ['execute', 'execute', false],
    ['operator()', 'operator()', false],
    ['size', 'DB::size', false],
    ['executeImpl', 'DB::executeImpl', false],
    ['convertToFullIfNeeded', 'DB::ColumnSparse::convertToFullIfNeeded', false],
    ['Aggregator::prepare', 'DB::Aggregator::executeImpl', false],
    ['Parser::parse', 'rapidjson::Parser::parse', false],
    ['Buffer::next', 'std::io::Buffer::next', false],
    ['ReadBuffer::nextImpl', 'std::ReadBuffer::nextImpl', false],
    ['std::ReadBuffer::nextImpl', 'std::ReadBuffer::nextImpl', true],
    ['Block::sortColumns', 'DB::Block::sortColumns', true],
    ['ParserSelectQuery::parseImpl', 'DB::ParserSelectQuery::parseImpl', true],
    ['Foo::Foo', 'DB::Foo::Foo', true],
    ['Foo::~Foo', 'DB::Foo::Foo', false],
  ])('%s and %s: %s', (ofDiff, ofFrame, expected) => {
    expect(isSameFunction(of(ofDiff), of(ofFrame))).toBe(expected)
  })

  test('never where the last parts differ, and the same from either side', () => {
    const part = fc.constantFrom('DB', 'std', 'Aggregator', 'Impl', 'execute', 'executeQueryImpl', 'mergeTreeRead', 'f')
    const name = fc.array(part, { minLength: 0, maxLength: 4 })
    fc.assert(
      fc.property(name, name, (a, b) => {
        const same = isSameFunction(a, b)
        expect(isSameFunction(b, a)).toBe(same)
        if (same) expect(a.at(-1)).toBe(b.at(-1))
      }),
    )
  })
})
