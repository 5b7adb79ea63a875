import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileOfTest } from '../../../src/judge/ledger/test-changed.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'
import { added } from './values.ts'

const holds = (testName: string, path: string) => fileOfTest(testName, [added(path)]) !== null

describe('the file holds the test', () => {
  test.each([
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test.sql'],
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test.sh'],
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test.reference'],
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test.sql.j2'],
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test.gen.reference'],
    ['03999_my_new_test.sql', 'tests/queries/0_stateless/03999_my_new_test.reference'],
    ['00001_count_hits', 'tests/queries/1_stateful/00001_count_hits.sql'],
    ['test_storage_s3/test.py::test_foo[x-1]', 'tests/integration/test_storage_s3/test.py'],
    ['test_storage_s3/test.py::test_foo[x-1]', 'tests/integration/test_storage_s3/configs/s3.xml'],
    ['tests/integration/test_storage_s3/test.py::test_foo', 'tests/integration/test_storage_s3/test.py'],
    ['tests/unit/test_parser.py::TestParser::test_dates[a/b.py]', 'tests/unit/test_parser.py'],
    ['tests/unit/test_parser.py::test_dates', 'backend/tests/unit/test_parser.py'],
    ['./tests/unit/test_parser.py::test_dates', 'tests/unit/test_parser.py'],
    ['test_api.py::test_x', 'test_api.py'],
    ['/home/runner/work/shop/src/cart.test.ts > adds', 'src/cart.test.ts'],
    ['src/cart.test.ts > Cart > adds', 'src/cart.test.ts'],
    ['cart.test.ts > Cart > adds', 'web/src/cart.test.ts'],
    ['[sig-network] Services should be reachable (network/services_test.go:45)', 'tests/network/services_test.go'],
    ['org.example.CartTest.adds', 'src/test/java/org/example/CartTest.java'],
    ['org.example.CartTest#adds', 'core/src/test/kotlin/org/example/CartTest.kt'],
    ['org.example.CartTest$Discounts.adds[1]', 'src/test/java/org/example/CartTest.java'],
    ['CartTest.adds', 'src/test/java/org/example/CartTest.java'],
    ['tests.unit.test_parser.TestParser::test_dates', 'tests/unit/test_parser.py'],
    ['spec.models.user_spec', 'spec/models/user_spec.rb'],
    ['Shop.Tests.CartTests.Adds', 'tests/Shop.UnitTests/CartTests.cs'],
    [String.raw`Shop\Event\CartTest::testAdds`, 'tests/unit/Event/CartTest.php'],
    ['tests/Framework/Assert.equal.recursive.phpt [method=testDeep]', 'tests/Framework/Assert.equal.recursive.phpt'],
  ])('%s: %s', (name, path) => {
    expect(holds(name, path)).toBe(true)
  })
})

describe('it does not', () => {
  test.each([
    ['', 'test.py'],
    ['03999_my_new_test', 'tests/queries/0_stateless/03999_my_new_test_2.sql'],
    ['03999_my_new_test', 'tests/queries/0_stateless/103999_my_new_test.sql'],
    ['03999_my_new_test', 'docs/03999_my_new_test.md'],
    ['test_storage_s3/test.py::test_foo', 'tests/integration/test_storage_s3_queue/test.py'],
    ['test_storage_s3/test.py::test_foo', 'tests/integration/helpers/cluster.py'],
    ['tests/unit/test_parser.py::test_dates', 'tests/unit/test_lexer.py'],
    ['tests/unit/test_parser.py::test_dates', 'tests/unit/test_parser.py.orig'],
    ['tests/unit/test_parser.py::test_dates', 'unit/test_parser.py'],
    ['test_parser.py::test_dates', 'tests/contest_parser.py'],
    ['x.py::test_read[data/rows.sql]', 'data/rows.sql'],
    ['test', 'test'],
    ['test', 'test.py'],
    ['test', 'src/test.ts'],
    ['tests', 'a/tests.py'],
    ['test.py::test_x', 'tools/test.py'],
    ['index.test.ts > works', 'web/src/index.test.ts'],
    ['a.test.ts > works', 'web/src/a.test.ts'],
    ['org.example.CartTest.adds', 'src/test/java/org/other/CartTest.java'],
    ['org.example.CartTest.adds', 'src/test/java/org/example/ShoppingCartTest.java'],
    ['org.example.CartTest.adds', 'src/main/java/org/example/Cart.java'],
    ['org.example.CartTest.adds', 'src/test/resources/org/example/CartTest.json'],
    ['Test.adds', 'src/Test.java'],
    ['UtilsTest.adds', 'src/test/UtilsTest.java'],
    ['Button is red', 'src/button.test.ts'],
    ["Logical error: 'promise has been destructed' (STID: 2508-38c6)", 'src/Common/futures.cpp'],
    ['Hung check failed, possible deadlock found', 'tests/ci/hung_check.py'],
    ['github.com/owner/name/storage/buckets.TestCreate', 'storage/buckets/other_test.go'],
    [`${'a/'.repeat(600)}test_long.py`, `${'a/'.repeat(600)}test_long.py`],
  ])('%s: %s', (name, path) => {
    expect(holds(name, path)).toBe(false)
  })
})

test('what is removed or as it was does not count, what is renamed or edited does', () => {
  const path = 'tests/queries/0_stateless/03999_my_new_test.sql'
  for (const status of ['removed', 'unchanged'] as const) {
    expect(fileOfTest('03999_my_new_test', [{ path, status }])).toBeNull()
  }
  for (const status of ['added', 'modified', 'renamed', 'copied', 'changed'] as const) {
    expect(fileOfTest('03999_my_new_test', [{ path, status }])).toEqual({ path, status })
  }
})

test('the first of several files', () => {
  const files = ['docs/a.md', 'tests/queries/0_stateless/03999_t.reference', 'tests/queries/0_stateless/03999_t.sql']
  expect(fileOfTest('03999_t', files.map(added))?.path).toBe(files[1])
})

test('a file never holds a test by a part of its name', () => {
  const word = fc.stringMatching(/^[a-z]{5,9}$/)
  fc.assert(
    fc.property(word, word, word, (test_, before, after) => {
      const name = `tests/test_${test_}.py::test_x`
      expect(holds(name, `tests/test_${test_}.py`)).toBe(true)
      expect(holds(name, `tests/${before}test_${test_}.py`)).toBe(false)
      expect(holds(name, `tests/test_${test_}${after}.py`)).toBe(false)
      expect(holds(name, `tests/test_${test_}/${after}.py`)).toBe(false)
    }),
  )
})

test('names and paths may be anything, and take no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), fc.string(), (name, path) => typeof holds(name, path) === 'boolean'),
  )
  const begun = computed()
  for (const name of ['a.'.repeat(499), '../'.repeat(333), 'a'.repeat(1000), '_'.repeat(1000), '['.repeat(1000)]) {
    for (let index = 0; index < 300; index += 1) holds(name, `${'a/'.repeat(500)}${index}.py`)
  }
  expect(computed() - begun).toBeLessThan(3000)
})
