import { expect, test } from 'vitest'
import { type JunitNames, junitTestName } from '../../../../src/intake/imports/checks/junit-rows.ts'

const NONE: JunitNames = { name: '', className: null, phpClass: null, file: null, suite: '' }

test.each<[string, Partial<JunitNames>, string]>([
  [
    'Surefire',
    { name: 'isRed', className: 'org.example.ButtonTest', suite: 'org.example.ButtonTest' },
    'org.example.ButtonTest.isRed',
  ],
  [
    'Surefire’s suffix',
    { name: 'run', className: 'org.example.QuickstartIT(sponge_log)' },
    'org.example.QuickstartIT.run',
  ],
  [
    'JUnit 5 parameters',
    { name: 'sums(int, int)[1]', className: 'org.example.SumTest' },
    'org.example.SumTest.sums(int, int)[1]',
  ],
  [
    'pytest with a file',
    { name: 'test_events[a b]', className: 'test.test_spark.SparkTests', file: 'test/test_spark.py' },
    'test/test_spark.py::SparkTests::test_events[a b]',
  ],
  [
    'pytest without a class',
    { name: 'test_x', className: 'test.test_spark', file: 'test/test_spark.py' },
    'test/test_spark.py::test_x',
  ],
  ['pytest without a file', { name: 'test_p[a b]', className: 'tests.test_lib' }, 'tests.test_lib.test_p[a b]'],
  ['pytest that could not import', { name: 'tests.test_lib', className: '', suite: 'pytest' }, 'tests.test_lib'],
  [
    'a file of another module',
    { name: 'test_x', className: 'base.Inherited', file: 'test/test_spark.py' },
    'base.Inherited.test_x',
  ],
  [
    'Go',
    { name: 'TestCreate/one', className: 'buckets', suite: 'github.com/o/r/storage/buckets' },
    'github.com/o/r/storage/buckets.TestCreate/one',
  ],
  ['jest-junit by its defaults', { name: 'Button is red', className: 'Button is red' }, 'Button is red'],
  ['jest-junit', { name: 'is red', className: 'Button › small' }, 'Button › small › is red'],
  ['vitest', { name: 'Button > is red', className: 'test/button.test.ts' }, 'test/button.test.ts > Button > is red'],
  ['mocha', { name: 'should be red', className: 'Button' }, 'Button should be red'],
  ['Ginkgo', { name: '[sig-storage] starts', className: 'Tests Suite', suite: 'Tests Suite' }, '[sig-storage] starts'],
  [
    'PHPUnit',
    { name: 'testOne', className: 'App.DispatcherTest', phpClass: 'App\\DispatcherTest' },
    'App\\DispatcherTest::testOne',
  ],
  ['PHP without the class', { name: 'testOne', className: 'App\\DispatcherTest' }, 'App\\DispatcherTest::testOne'],
  ['a .phpt file', { name: 'one.phpt', file: '/src/tests/one.phpt', suite: 'CLI' }, 'one.phpt'],
  ['Nette Tester', { name: 'tests/Dumper.phpt', className: 'tests/Dumper.phpt' }, 'tests/Dumper.phpt'],
  ['no class', { name: 'adds', suite: 'sums' }, 'sums adds'],
  ['no class, the suite in the name', { name: 'sums adds', suite: 'sums' }, 'sums adds'],
  ['no class, no suite', { name: 'adds' }, 'adds'],
  ['a name that only begins like the class', { name: 'Buttons', className: 'Button' }, 'Button.Buttons'],
])('%s', (_tool, names, expected) => {
  expect(junitTestName({ ...NONE, ...names })).toBe(expected)
})
