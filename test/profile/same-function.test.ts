import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameFunction } from '../../src/profile/same-function.ts'

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
