import { describe, expect, test } from 'vitest'
import { OUTPUT_END_READ, OUTPUT_READ, signatureOf } from '../../../src/judge/ledger/signature.ts'
import { handedOver } from './handed-over.ts'

/** An assertion or error of a test: the expression, what it was expected to be and was, and the line that it stands in. */
interface Failed {
  readonly what: string
  readonly expected: number
  readonly line: number
}

const CENTS: Failed = { what: 'cents', expected: 3, line: 20 }
const MOVED: Failed = { ...CENTS, line: 24 }
const REFUND: Failed = { what: 'refund', expected: 1250, line: 91 }

/** As these frameworks print them; those of Go, Rust, Python, Node.js, GoogleTest and doctest were printed here by theirs. */
const FORMS: Readonly<Record<string, (failed: Failed) => string>> = {
  'Rust assert_eq!': ({ what, expected, line }) =>
    `thread 'cart::a_test' (77${line}) panicked at src/cart.rs:${line}:14:\nassertion \`left == right\` failed: ${what}\n  left: 0\n right: ${expected}\nnote: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace`,
  'Rust assert!': ({ what, expected, line }) =>
    `\nthread 'a_test' panicked at src/cart.rs:${line}:14:\nassertion failed: ${what} == ${expected}\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/9fc6b43126/library/std/src/panicking.rs:665:5\n   1: core::panicking::panic_fmt\n   2: cart::tests::a_test`,
  'Rust unwrap': ({ what, line }) =>
    `thread 'a_test' panicked at src/cart.rs:${line}:14:\ncalled \`Result::unwrap()\` on an \`Err\` value: Os { kind: NotFound, message: "no ${what}" }`,
  GoogleTest: ({ what, expected, line }) =>
    `cart_test.cc:${line}\nExpected equality of these values:\n  ${what}.cents()\n    Which is: 0\n  ${expected}\n`,
  'GoogleTest on the console': ({ what, line }) =>
    `[ RUN      ] Cart.a_test\ncart_test.cc:${line}: Failure\nValue of: ${what}.allowed()\n  Actual: false\nExpected: true\n[  FAILED  ] Cart.a_test (${line} ms)`,
  'GoogleTest FAIL()': ({ what, line }) => `cart_test.cc:${line}: Failure\nFailed\n${what} is broken\n`,
  GoogleMock: ({ what, line }) =>
    `cart_test.cc:${line}: Failure\nActual function call count doesn't match EXPECT_CALL(cart, ${what}())...\n         Expected: to be called once\n           Actual: never called - unsatisfied and active`,
  Catch2: ({ what, line }) =>
    `-------------------------------------------------------------------------------\na_test\n-------------------------------------------------------------------------------\ncart_test.cpp:3\n...............................................................................\n\ncart_test.cpp:${line}: FAILED:\n  REQUIRE( ${what}.allowed() )\nwith expansion:\n  false\n`,
  'Catch2 exception': ({ what, line }) =>
    `cart_test.cpp:${line}: FAILED:\ndue to unexpected exception with message:\n  no ${what}\n`,
  doctest: ({ what, expected, line }) =>
    `cart_test.cpp:3:\nTEST CASE:  a_test\n\ncart_test.cpp:${line}: ERROR: CHECK( ${what}() == ${expected} ) is NOT correct!\n  values: CHECK( 0 == ${expected} )\n`,
  'Boost.Test': ({ what, expected, line }) =>
    `cart_test.cpp(${line}): error: in "cart/a_test": check ${what}() == ${expected} has failed [0 != ${expected}]`,
  'Boost.Test exception in JUnit': ({ what, line }) =>
    `UNCAUGHT EXCEPTION:\n- file   : cart_test.cpp\n- line   : ${line}\n\n\nEXCEPTION STACK TRACE: --------------\nno ${what}\n-------------------------------------`,
  'Qt Test': ({ what, expected, line }) =>
    `FAIL!  : Cart::a_test() Compared values are not the same\n   Actual   (${what}()): 0\n   Expected (${expected})     : ${expected}\n   Loc: [cart_test.cpp(${line})]`,
  'testify Equal': ({ what, expected, line }) =>
    `    cart_test.go:${line}: \n        \tError Trace:\t/src/cart/cart_test.go:${line}\n        \tError:      \tNot equal: \n        \t            \texpected: ${expected}\n        \t            \tactual  : 0\n        \tTest:       \ta_test\n        \tMessages:   \t${what}\n`,
  'testify True': ({ what, line }) =>
    `    cart_test.go:${line}: \n        \tError Trace:\t/src/cart/cart_test.go:${line}\n        \tError:      \tShould be true\n        \tTest:       \ta_test\n        \tMessages:   \t${what} is allowed\n`,
  'testify NoError': ({ what, line }) =>
    `    cart_test.go:${line}: \n        \tError Trace:\t/src/cart/cart_test.go:${line}\n        \tError:      \tReceived unexpected error:\n        \t            \tno ${what}\n        \tTest:       \ta_test\n`,
  'go-cmp': ({ what, expected, line }) =>
    `    cart_test.go:${line}: a_test() mismatch (-want +got):\n          cart.Cart{\n        - \t${what}: ${expected},\n        + \t${what}: 0,\n          }\n`,
  'Go, by hand': ({ what, expected, line }) => `    cart_test.go:${line}: ${what}() = 0, want ${expected}`,
  pytest: ({ what, expected, line }) =>
    `    def a_test():\n>       assert ${what}() == ${expected}\nE       assert 0 == ${expected}\nE        +  where 0 = ${what}()\n\ntest_cart.py:${line}: AssertionError`,
  'pytest, a bare assertion': ({ what, line }) =>
    `    def a_test():\n        ok = ${what}()\n>       assert ok.${what}\nE       AssertionError\n\ntest_cart.py:${line}: AssertionError`,
  unittest: ({ what, line }) =>
    `Traceback (most recent call last):\n  File "/src/test_cart.py", line ${line}, in a_test\n    self.assertTrue(${what}())\nAssertionError: False is not true`,
  Gomega: ({ what, expected, line }) =>
    `Expected\n    <int>: 0\nto equal\n    <int>: ${expected}\n${what}\nIn [It] at: /src/cart_test.go:${line} @ 11/21/26 10:00:00.1`,
  Hamcrest: ({ expected, line }) =>
    `java.lang.AssertionError: \nExpected: is <${expected}>\n     but: was <0>\n\tat org.hamcrest.MatcherAssert.assertThat(MatcherAssert.java:18)\n\tat com.acme.CartTest.a_test(CartTest.java:${line})`,
  'AssertJ as it was': ({ expected, line }) =>
    `java.lang.AssertionError: \nExpecting:\n <0>\nto be equal to:\n <${expected}>\nbut was not.\n\tat com.acme.CartTest.a_test(CartTest.java:${line})`,
  AssertJ: ({ what, line }) =>
    `java.lang.AssertionError: \nExpecting actual:\n  ["cart"]\nto contain:\n  ["${what}"]\nbut could not find the following element(s):\n  ["${what}"]\n\n\tat com.acme.CartTest.a_test(CartTest.java:${line})`,
  JUnit: ({ what, expected, line }) =>
    `org.opentest4j.AssertionFailedError: ${what} ==> expected: <${expected}> but was: <0>\n\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)\n\tat com.acme.CartTest.a_test(CartTest.java:${line})`,
  Mockito: ({ what, line }) =>
    `Wanted but not invoked:\nmailer.send("${what}");\n-> at com.acme.CartTest.a_test(CartTest.java:${line})\nActually, there were zero interactions with this mock.`,
  'Mockito in Surefire': ({ what, line }) =>
    `org.mockito.exceptions.verification.WantedButNotInvoked: \n\nWanted but not invoked:\nmailer.send("${what}");\n-> at com.acme.CartTest.a_test(CartTest.java:${line})`,
  Spock: ({ what, expected, line }) =>
    `Condition not satisfied:\n\ncart.${what} == ${expected}\n|    |      |\n|    0      false\n\tat com.acme.CartSpec.a_test(CartSpec.groovy:${line})`,
  NUnit: ({ expected, line }) =>
    `  Expected: ${expected}\n  But was:  0\n\n   at Acme.CartTests.a_test() in /src/CartTests.cs:line ${line}`,
  xUnit: ({ expected, line }) =>
    `Assert.Equal() Failure: Values differ\nExpected: ${expected}\nActual:   0\n   at Acme.CartTests.a_test() in /src/CartTests.cs:line ${line}`,
  MSTest: ({ what, expected, line }) =>
    `Assert.AreEqual failed. Expected:<${expected}>. Actual:<0>. ${what}\n   at Acme.CartTests.a_test() in /src/CartTests.cs:line ${line}`,
  Jest: ({ what, expected, line }) =>
    `Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: ${expected}\nReceived: 0\n\n  ${line - 1} | test('a_test', () => {\n> ${line} |   expect(cart.${what}()).toBe(${expected})\n     |                    ^\n    at Object.<anonymous> (/src/cart.test.js:${line}:20)`,
  Vitest: ({ expected, line }) =>
    `AssertionError: expected +0 to be ${expected} // Object.is equality\n\n- Expected\n+ Received\n\n- ${expected}\n+ 0\n\n ❯ cart.test.js:${line}:20`,
  'Node.js': ({ expected, line }) =>
    `Expected values to be strictly equal:\n\n0 !== ${expected}\n\n    at TestContext.<anonymous> (/src/cart.test.js:${line}:22)`,
  'Node.js, two objects': ({ what, expected, line }) =>
    `Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   ${what}: 0,\n-   ${what}: ${expected},\n    b: 2\n  }\n    at TestContext.<anonymous> (/src/cart.test.js:${line}:22)`,
  Mocha: ({ what, expected, line }) =>
    `      AssertionError: ${what}: expected 0 to equal ${expected}\n      + expected - actual\n\n      -0\n      +${expected}\n      \n      at Context.<anonymous> (test/cart.test.js:${line}:20)`,
  Playwright: ({ what, line }) =>
    `Error: expect(locator).toBeVisible() failed\n\nLocator: getByText('${what}')\nExpected: visible\nReceived: <element(s) not found>\nTimeout: 5000ms\n\nCall log:\n  - Expect "toBeVisible" with timeout 5000ms\n\n    at /src/cart.spec.ts:${line}:30`,
  'Playwright, a click': ({ what, line }) =>
    `TimeoutError: locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for getByRole('button', { name: '${what}' })\n\n    at /src/cart.spec.ts:${line}:30`,
  RSpec: ({ what, expected, line }) =>
    `Failure/Error: expect(cart.${what}).to eq(${expected})\n\n  expected: ${expected}\n       got: 0\n\n  (compared using ==)\n# ./spec/cart_spec.rb:${line}:in 'block (2 levels) in <top (required)>'`,
  PHPUnit: ({ what, expected, line }) =>
    `CartTest::a_test\n${what}\nFailed asserting that 0 matches expected ${expected}.\n\n/src/tests/CartTest.php:${line}`,
  ExUnit: ({ what, expected, line }) =>
    `  1) test a_test (CartTest)\n     test/cart_test.exs:3\n     Assertion with == failed\n     code:  assert Cart.${what}(c) == ${expected}\n     left:  0\n     right: ${expected}\n     stacktrace:\n       test/cart_test.exs:${line}: (test)`,
  busted: ({ expected, line }) =>
    `spec/cart_spec.lua:${line}: Expected objects to be equal.\nPassed in:\n(number) 0\nExpected:\n(number) ${expected}`,
  'Perl Test::More': ({ what, expected, line }) =>
    `#   Failed test '${what}'\n#   at t/cart.t line ${line}.\n#          got: '0'\n#     expected: '${expected}'`,
  Karate: ({ what, expected, line }) =>
    `cart.feature:${line} - match failed: EQUALS\n  $ | not equal (MAP:MAP)\n  {"${what}":0}\n  {"${what}":${expected}}\n\n    $.${what} | not equal (NUMBER:NUMBER)\n    0\n    ${expected}\n`,
  'Karate, a status': ({ what, expected, line }) =>
    `cart.feature:${line} - status code was: 500, expected: ${expected}, response time in milliseconds: ${line * 7}, url: http://localhost:4${line}00/${what}, response:\n{"error":"${what} is broken"}`,
  FileCheck: ({ what, expected, line }) =>
    `/llvm/test/a.ll:${line}:10: error: CHECK-NEXT: expected string not found in input\n; CHECK-NEXT: ret i32 %${what}, ${expected}\n         ^\n<stdin>:${line + 4}:1: note: scanning from here\ndefine i32 @f() {\n^\n\nInput was:\n<<<<<<\n             1: define i32 @f() {\ncheck:${line}'0     X~~~~~~~ error: no match found\n>>>>>>`,
  javac: ({ what, expected, line }) =>
    `/app/Cart.java:${line}: error: cannot find symbol\n    ${what}(${expected});\n    ^\n  symbol:   method ${what}(int)\n  location: class Cart\n1 error`,
  'Maven, a compiler': ({ what, line }) =>
    `[ERROR] COMPILATION ERROR : \n[INFO] ----------------------------\n[ERROR] /app/Cart.java:[${line},5] cannot find symbol\n[ERROR]   symbol:   method ${what}()\n[ERROR]   location: class Cart\n[INFO] BUILD FAILURE\n[INFO] Total time:  ${line}.3 s\n[ERROR] -> [Help 1]`,
  'PHPUnit, numbered, with words of its own': ({ what, expected, line }) =>
    `There was 1 failure:\n\n1) CartTest::a_test\nThe cart holds no\n${what}\nFailed asserting that 0 matches expected ${expected}.\n\n/app/tests/CartTest.php:${line}\n\nFAILURES!\nTests: 5, Assertions: 9, Failures: 1.`,
  Deno: ({ what, expected, line }) =>
    `error: AssertionError: Values are not equal.\n\n\n    [Diff] Actual / Expected\n\n\n    {\n-     ${what}: 0,\n+     ${what}: ${expected},\n    }\n\n  throw new AssertionError(message);\n        ^\n    at assertEquals (https://jsr.io/@std/assert/1.0.0/equals.ts:64:9)\n    at file:///app/cart_test.ts:${line}:3`,
  'pretty_assertions of Rust': ({ what, expected, line }) =>
    `thread 'a_test' panicked at src/cart.rs:${line}:9:\nassertion failed: \`(left == right)\`\n\nDiff < left / right > :\n Cart {\n<    ${what}: 0,\n>    ${what}: ${expected},\n }\n`,
  'insta of Rust': ({ what, expected, line }) =>
    `Snapshot: a_test\nSource: /app/tests/cart.rs:${line}\nExpression: cart\n──────────\n-old snapshot\n+new results\n──────┬───────\n    1 │ -${what} ${expected}\n    1 │ +${what} 0\n──────┴───────`,
  munit: ({ what, expected, line }) =>
    `munit.ComparisonFailException: /app/CartSuite.scala:${line}\n${line}:    assertEquals(${what}, ${expected})\nvalues are not the same\n=> Obtained\n0\n=> Diff (- expected, + obtained)\n-${expected}\n+0\n    at munit.Assertions.failComparison(Assertions.scala:274)`,
  AVA: ({ what, expected, line }) =>
    `  cart.js:${line}\n\n   ${line - 1}: \n   ${line}:   t.is(${what}(), ${expected});\n   ${line + 1}: \n\n  Difference (- actual, + expected):\n\n  - 0\n  + ${expected}\n\n  › file://cart.js:${line}:5`,
  'node-tap': ({ what, expected, line }) =>
    `not ok 3 - should be equal\n  ---\n  at:\n    line: ${line}\n    file: test/cart.js\n  source: |\n    t.equal(${what}(), ${expected})\n  diff: |\n    --- expected\n    +++ actual\n    @@ -1,1 +1,1 @@\n    -${expected}\n    +0\n  ...`,
  'minitest with words of its own': ({ what, expected, line }) =>
    `Failure:\nCartTest#test_total [test/cart_test.rb:${line}]:\n${what}.\nExpected: ${expected}\n  Actual: 0`,
  'REST Assured': ({ what, expected, line }) =>
    `java.lang.AssertionError: 1 expectation failed.\nJSON path ${what} doesn't match.\nExpected: <${expected}>\n  Actual: <0>\n\n\tat com.acme.CartTest.a_test(CartTest.java:${line})`,
  'AssertJ, several': ({ what, expected, line }) =>
    `org.assertj.core.error.AssertJMultipleFailuresError: \nMultiple Failures (1 failure)\n-- failure 1 --\n[${what}] \nexpected: ${expected}\n but was: 0\nat CartTest.a_test(CartTest.java:${line})`,
  Shouldly: ({ what, expected, line }) =>
    `Shouldly.ShouldAssertException : cart.${what}\n    should be\n${expected}\n    but was\n0\n   at Acme.CartTests.a_test() in /src/CartTests.cs:line ${line}`,
  'xUnit, a text': ({ what, expected, line }) =>
    `Assert.Contains() Failure: Sub-string not found\nString:    "a cart"\nNot found: "${what} ${expected}"\n   at Acme.CartTests.a_test() in /src/CartTests.cs:line ${line}`,
  Zig: ({ what, expected, line }) =>
    `expected ${expected}, found 0\n/usr/lib/zig/std/testing.zig:93:17: 0x104${line} in expectEqualInner__anon_1 (test)\n                return error.TestExpectedEqual;\n                ^\n/app/src/cart.zig:${line}:5: 0x104${line} in test.a_test (test)\n    try expectEqual(${expected}, ${what}());\n    ^`,
  CppUTest: ({ expected, line }) =>
    `cart_test.cpp:${line}: error: Failure in TEST(Cart, a_test)\n\texpected <${expected}>\n\tbut was  <0>\n`,
  EUnit: ({ what, expected, line }) =>
    `in function cart_tests:'-a_test/0-fun-0-'/0 (test/cart_tests.erl, line ${line})\n**error:{assertEqual,[{module,cart_tests},\n              {line,${line}},\n              {expression,"${what}()"},\n              {expected,${expected}},\n              {value,0}]}`,
  Clojure: ({ what, expected, line }) =>
    `FAIL in (a_test) (cart_test.clj:${line})\n${what}\nexpected: (= ${expected} (total))\n  actual: (not (= ${expected} 0))`,
  'Perl is_deeply': ({ what, expected, line }) =>
    `#   Failed test at t/cart.t line ${line}.\n#     Structures begin differing at:\n#          $got->{${what}} = '0'\n#     $expected->{${what}} = '${expected}'`,
  Cypress: ({ what, expected, line }) =>
    `AssertionError: Timed out retrying after 4000ms: expected '<span.${what}>' to have text '${expected}', but the text was '0'\n    at Context.eval (webpack:///./cypress/e2e/cart.cy.js:${line}:7)`,
  'Swift Testing': ({ what, expected, line }) =>
    `✘ Test a_test() recorded an issue at CartTests.swift:${line}:5: Expectation failed: (cart.${what} → 0) == ${expected}\n✘ Test a_test() failed after 0.0${line} seconds with 1 issue.`,
  specs2: ({ expected, line }) =>
    `[error] x a_test\n[error]  '0' is not equal to '${expected}' (CartSpec.scala:${line})`,
  'Gatling, how many': ({ expected, line }) =>
    `> status.find.is(200), but actually found ${expected}                              ${line} (${line}.0%)`,
  Elm: ({ expected }) => `✗ a_test\n\n    0\n    ╷\n    │ Expect.equal\n    ╵\n    ${expected}\n`,
  Ginkgo: ({ what, expected, line }) =>
    `• [FAILED] [0.0${line} seconds]\nCart [It] a_test\n/app/cart_test.go:${line - 2}\n\n  [FAILED] ${what}\n  Expected\n      <int>: 0\n  to equal\n      <int>: ${expected}\n  In [It] at: /app/cart_test.go:${line} @ 11/28/26 10:00:00.1${line}`,
  'Ginkgo without words': ({ what, expected, line }) =>
    `  [FAILED] Expected\n      <string>: ${what}\n  to equal\n      <int>: ${expected}\n  In [It] at: /app/cart_test.go:${line} @ 11/28/26 10:00:00.1${line}`,
  testthat: ({ what, expected, line }) =>
    `── Failure ('test-cart.R:${line}:3'): ${what} ─────────────\n${what}(cart) (\`actual\`) not equal to 3 (\`expected\`).\n\n  \`actual\`: 0\n\`expected\`: ${expected}`,
  'busted on the console': ({ what, expected, line }) =>
    `1 success / 1 failure / 0 errors / 0 pending : 0.0${line} seconds\n\nFailure → spec/cart_spec.lua @ ${line - 2}\nspec/cart_spec.lua:${line}: ${what}\nPassed in:\n(number) ${expected}\nExpected:\n(number) 0`,
  'PHPUnit, identical': ({ what, expected, line }) =>
    `1) CartTest::a_test\n${what}\nFailed asserting that ${expected} is identical to 0.\n\n/app/tests/CartTest.php:${line}`,
  cmocka: ({ expected, line }) =>
    `[==========] tests: Running 1 test(s).\n[ RUN      ] a_test\n[  ERROR   ] --- 0x0 != 0x${expected}\n[   LINE   ] --- /src/test_cart.c:${line}: error: Failure!\n[  FAILED  ] a_test\n[==========] tests: 1 test(s) run.\n[  FAILED  ] tests: 1 test(s), listed below:`,
  'ExUnit with what was logged': ({ what, expected, line }) =>
    `  1) test a_test (CartTest)\n     test/cart_test.exs:${line - 2}\n     Assertion with == failed\n     code:  assert ${what}() == ${expected}\n     left:  {#PID<0.${line}73.0>, #Reference<0.${line}.2.1>, 0}\n     right: ${expected}\n     stacktrace:\n       test/cart_test.exs:${line}: (test)\n\n     The following output was logged:\n     12:00:00.${line} [error] worker ${line} of #PID<0.${line}74.0> stopped`,
  'JSON in a message': ({ what, expected, line }) =>
    `AssertionError: expected {"${what}":0} to equal {"${what}":${expected}}\n    at Context.<anonymous> (test/cart.js:${line}:22)`,
  'Ruby, which marks what failed': ({ what, line }) =>
    `NoMethodError: undefined method \`total' for nil\n\n    cart.${what}.total\n              ^^^^^^\n    test/cart_test.rb:${line}:in \`a_test'`,
  Terraform: ({ what, line }) =>
    `│ Error: Reference to undeclared resource\n│ \n│   on main.tf line ${line}, in resource "a" "b":\n│   ${line}:   x = aws.${what}\n`,
  bats: ({ what, expected, line }) =>
    `(in test file cart.bats, line ${line})\n  \`[ "$${what}" -eq ${expected} ]' failed`,
}

describe.each(Object.keys(FORMS))('%s', (name) => {
  const shown = (failed: Failed) => signatureOf('a_test', FORMS[name]!(failed))
  test('another assertion of the same test is another failure, one that moved is the same', () => {
    expect(shown(CENTS).kind).toBe('output')
    expect(shown(MOVED)).toEqual(shown(CENTS))
    expect(shown(REFUND)).not.toEqual(shown(CENTS))
  })
})

/** Those of which the test's words are the only difference, or the value. */
const ONE_DIFFERENCE: readonly (readonly [keyof Failed, readonly string[]])[] = [
  [
    'what',
    [
      'Karate',
      'FileCheck',
      'javac',
      'PHPUnit, numbered, with words of its own',
      'Deno',
      'pretty_assertions of Rust',
      'insta of Rust',
      'minitest with words of its own',
      'REST Assured',
      'AssertJ, several',
      'AVA',
      'node-tap',
      'munit',
      'Zig',
      'EUnit',
      'Clojure',
      'xUnit, a text',
      'Ginkgo',
      'Ginkgo without words',
      'PHPUnit, identical',
      'JSON in a message',
      'Ruby, which marks what failed',
    ],
  ],
  [
    'expected',
    [
      'Karate',
      'Karate, a status',
      'Deno',
      'pretty_assertions of Rust',
      'insta of Rust',
      'node-tap',
      'munit',
      'Shouldly',
      'CppUTest',
      'EUnit',
      'Perl is_deeply',
      'Cypress',
      'Swift Testing',
      'specs2',
      'Gatling, how many',
      'Elm',
      'Ginkgo',
      'Ginkgo without words',
      'testthat',
      'busted on the console',
      'PHPUnit, identical',
      'cmocka',
      'JSON in a message',
    ],
  ],
]

describe.each(ONE_DIFFERENCE)('another %s alone is another failure', (part, names) => {
  test.each(names)('%s', (name) => {
    const other = { ...CENTS, [part]: REFUND[part] }
    expect(signatureOf('a_test', FORMS[name]!(other))).not.toEqual(signatureOf('a_test', FORMS[name]!(CENTS)))
  })
})

/** Messages that any assertion of a test leaves: the place says which, with its line where it is the test's own. */
describe('a message that says no more than its type', () => {
  const of = (output: string) => signatureOf('com.acme.CartTest.total', output)
  const java = (type: string, ...frames: string[]) => of([type, ...frames.map((frame) => `\tat ${frame}`)].join('\n'))
  const LIBRARY = ['org.junit.Assert.fail(Assert.java:87)', 'java.base/java.util.ArrayList.get(ArrayList.java:427)']

  test('Java: the first frame that is of the program or its tests', () => {
    const one = java('java.lang.AssertionError', ...LIBRARY, 'com.acme.CartTest.total(CartTest.java:20)')
    expect(one.text).toBe('java.lang.AssertionError\nat com.acme.CartTest.total(CartTest.java:20)')
    expect(java('java.lang.AssertionError', 'com.acme.CartTest.total(CartTest.java:91)')).not.toEqual(one)
    const store = java(
      'java.lang.NullPointerException',
      'com.acme.Store.open(Store.java:41)',
      'com.acme.CartTest.total(CartTest.java:20)',
    )
    expect(
      java(
        'java.lang.NullPointerException',
        'com.acme.Store.open(Store.java:44)',
        'com.acme.CartTest.total(CartTest.java:22)',
      ),
    ).toEqual(store)
    expect(java('java.lang.NullPointerException', 'com.acme.Store.close(Store.java:41)')).not.toEqual(store)
    expect(java('java.lang.IllegalStateException', 'com.acme.Store.open(Store.java:41)')).not.toEqual(store)
  })

  test('.NET: the same', () => {
    const failed = (frame: string) =>
      of(
        `System.NullReferenceException : Object reference not set to an instance of an object.\n   at Moq.Mock.Get() in /_/src/Moq/Mock.cs:line 9\n   at System.Linq.Enumerable.First[T](IEnumerable\`1 source)\n   at ${frame}`,
      )
    const store = failed('Acme.Store.Open(String name) in /src/Store.cs:line 41')
    expect(failed('Acme.Store.Open(String name) in /src/Store.cs:line 44')).toEqual(store)
    expect(failed('Acme.Store.Close() in /src/Store.cs:line 41')).not.toEqual(store)
  })

  test.each([
    [
      'xUnit',
      (line: number) =>
        `Assert.True() Failure\nExpected: True\nActual:   False\n   at Acme.CartTest.total() in /src/CartTest.cs:line ${line}`,
    ],
    [
      'JUnit',
      (line: number) =>
        `org.opentest4j.AssertionFailedError: expected: <true> but was: <false>\n\tat com.acme.CartTest.total(CartTest.java:${line})`,
    ],
    [
      'testify',
      (line: number) =>
        `    cart_test.go:${line}: \n        \tError Trace:\t/src/cart_test.go:${line}\n        \tError:      \tShould be true\n        \tTest:       \tTestTotal`,
    ],
    [
      'Rust',
      (line: number) =>
        `thread 'total' panicked at src/cart.rs:${line}:14:\ncalled \`Option::unwrap()\` on a \`None\` value`,
    ],
    ['PHPUnit', (line: number) => `Failed asserting that false is true.\n\n/src/tests/CartTest.php:${line}`],
    [
      'Jest',
      (line: number) =>
        `Error: expect(received).toBeTruthy()\n\nReceived: false\n    at Object.<anonymous> (/src/cart.test.js:${line}:20)`,
    ],
  ])('%s: an assertion in another line is another failure', (_, at) => {
    expect(of(at(20)).kind).toBe('output')
    expect(of(at(20))).not.toEqual(of(at(91)))
  })
})

describe('an output whose front was cut off', () => {
  const MARKS = [
    'Start ClickHouse Server: ~~~~~ truncated 900 lines ~~~~~',
    '[... 912 lines omitted ...]',
    '<output truncated>',
    'Log is too long, showing the last 300 lines',
    '... (first 20 KB skipped)',
    '--- snip ---',
    '[Output truncated: 12345 bytes]',
    '*** earlier output was dropped ***',
  ]
  const log = (lines: number) =>
    Array.from({ length: lines }, (_, at) => `srvlog${at}: loading table test.t${at}, error handler ${at} is set`)
  const cut = (mark: string, reason: string, lines = 298) => ['Failures: 1/3', mark, ...log(lines), reason].join('\n')
  const SETTING =
    "<Error> Application: Code: 115. DB::Exception: Unknown setting 'max_foo' in users.xml. (UNKNOWN_SETTING)"
  const KEEPER = 'Poco::Exception. Code: 1000, e.code() = 111, Connection refused (keeper0)'

  test.each(MARKS)('%s: the reason is at its end', (mark) => {
    for (const testName of ['', 'a_test']) {
      expect(signatureOf(testName, cut(mark, SETTING)).text).toContain('Unknown setting')
      expect(signatureOf(testName, cut(mark.replace(/\d+/, '7'), SETTING, 291))).toEqual(
        signatureOf(testName, cut(mark, SETTING)),
      )
      expect(signatureOf(testName, cut(mark, KEEPER))).not.toEqual(signatureOf(testName, cut(mark, SETTING)))
      expect(signatureOf(testName, handedOver(cut(mark, SETTING)))).toEqual(signatureOf(testName, cut(mark, SETTING)))
    }
  })

  test('a last line without a word of an error counts as well', () => {
    const ends = (last: string) => signatureOf('', cut(MARKS[0]!, `${SETTING}\n${last}`))
    expect(ends('Address already in use')).not.toEqual(ends('No such file or directory'))
  })

  test('a mark below the reason, or what pytest says of a long comparison, changes nothing', () => {
    const message = 'Error: no refund'
    expect(signatureOf('a_test', `${message}\n[... 12 lines omitted ...]\n${KEEPER}`).text).toBe(
      `${message}\n${KEEPER.replace('111', 'N').replace('keeper0', 'keeperN')}`,
    )
    expect(
      signatureOf('a_test', `E   assert 1 == 2\nE   ...Full output truncated (2 lines hidden), use '-vv' to show`).text,
    ).toBe('assert 1 == 2')
  })
})

test('a line without a word of an error counts below a heading only, to the next empty one', () => {
  const output = (below: string) => signatureOf('a_test', `REQUIRE( x )\nwith expansion:\n  false\n\n${below}`)
  expect(output('the cart of Monday')).toEqual(output('the cart of Tuesday'))
})

test('of two sides of a comparison neither is part of the other', () => {
  expect(signatureOf('a_test', 'Expected\n    <string>: foo\nto equal\n    <string>: foobar').text).toBe(
    '<string>: foo\nto equal\n<string>: foobar',
  )
})

test('a mark of a cut and the name of the test are no reasons', () => {
  expect(signatureOf('a_test', '[... 912 lines omitted ...]').kind).toBe('frames')
  expect(signatureOf('org.example.CartTest.total', 'total\nBoom').text).toBe('Boom')
  expect(signatureOf('Shop › Cart totals', 'Cart totals\nBoom').text).toBe('Boom')
})

test('at the end of a log the lines of an error that stand together count', () => {
  const log = (...errors: string[]) => signatureOf('', ['[... 9 lines omitted ...]', 'loading', ...errors].join('\n'))
  expect(log('Error: no keeper', 'Error: no server').text).toBe('Error: no keeper\nError: no server')
})

test('of a log that says nothing in its beginning the end is read, in both sources', () => {
  const log = (reason: string) => `Starting\n${'loading a table\n'.repeat(1000)}${reason}\n`
  expect(log('').length).toBeGreaterThan(OUTPUT_READ + OUTPUT_END_READ)
  for (const reason of ['Address already in use', 'Error: no keeper']) {
    expect(signatureOf('a_test', log(reason)).text).toContain(reason)
    expect(signatureOf('a_test', handedOver(log(reason)))).toEqual(signatureOf('a_test', log(reason)))
  }
})

/** Messages that any assertion leaves, or a kind of crash: in this place, and in another. */
const BY_PLACE: readonly (readonly [string, (line: number, called: string) => string])[] = [
  ['XCTest', (line) => `/src/Tests/CartTests.swift:${line}: error: -[CartTests testTotal] : XCTAssertTrue failed`],
  ['ScalaTest', (line) => `false was not true (CartSpec.scala:${line})`],
  ['minitest', (line) => `Failure:\nCartTest#test_total [test/cart_test.rb:${line}]:\nExpected false to be truthy.`],
  ['MSTest', (line) => `Assert.IsTrue failed. \n   at Acme.CartTest.Total() in /src/CartTest.cs:line ${line}`],
  [
    'NUnit',
    (line) => `  Expected: True\n  But was:  False\n\n   at Acme.CartTest.Total() in /src/CartTest.cs:line ${line}`,
  ],
  ['QUnit', (line) => `Expected: true\nResult: false\n    at Object.<anonymous> (/app/test/cart.js:${line}:10)`],
  [
    'Dart',
    (line) =>
      `Expected: true\n  Actual: <false>\n\npackage:matcher                    expect\ntest/cart_test.dart ${line}:5        main.<fn>`,
  ],
  [
    'AddressSanitizer',
    (line, called) =>
      `==1${line}==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020000${line} at pc 0x4f\n    #0 0x4e in __asan_memcpy (/bin/engine+0x1)\n    #1 0x4f in Acme::${called}(int) /src/cart.cc:${line}:3\n    #2 0x50 in main /src/main.cc:3`,
  ],
  [
    'a panic of Go',
    (line, called) =>
      `panic: runtime error: index out of range [${line}] with length ${line}\n\ngoroutine 7 [running]:\nacme/cart.(*Cart).${called}(0xc000010${line})\n\t/app/cart.go:${line}`,
  ],
]

test.each(BY_PLACE)('%s: where no words tell two failures apart, the place does', (_, output) => {
  const of = (line: number, called: string) => signatureOf('cart totals', output(line, called))
  expect(of(20, 'total').kind).toBe('output')
  expect(of(20, 'total')).toEqual(of(20, 'total'))
  expect(of(20, 'total').text).not.toBe(of(91, 'refund').text)
})

/** Crashes as the tools show them: of a function, in a line of it. */
const BY_FUNCTION: Readonly<Record<string, (called: string, line: number) => string>> = {
  'a race of Go': (called, line) =>
    `==================\nWARNING: DATA RACE\nWrite at 0x00c0000${line}8 by goroutine ${line}:\n  acme/cart.(*Cart).${called}()\n      /app/cart.go:${line} +0x3c\n\nPrevious read at 0x00c0000${line}8 by goroutine 7:\n  acme/cart.read()\n      /app/read.go:12 +0x88\n  testing.tRunner()\n      /usr/local/go/src/testing/testing.go:1595 +0x238\n==================\n    testing.go:1465: race detected during execution of test`,
  valgrind: (called, line) =>
    `==${line}12== Memcheck, a memory error detector\n==${line}12== Command: ./cart_test\n==${line}12== \n==${line}12== Invalid read of size 8\n==${line}12==    at 0x4005${line}: ${called} (cart.c:${line})\n==${line}12==    by 0x4006F1: main (main.c:7)\n==${line}12== \n==${line}12== ERROR SUMMARY: ${line} errors from 1 contexts (suppressed: 0 from 0)`,
  'a leak that valgrind found': (called, line) =>
    `==${line}12== 16 bytes in 1 blocks are definitely lost in loss record 1 of 1\n==${line}12==    at 0x4C2FB0F: malloc (in /usr/lib/valgrind/vgpreload_memcheck-amd64-linux.so)\n==${line}12==    by 0x4006${line}: ${called} (cart.c:${line})`,
  LeakSanitizer: (called, line) =>
    `==${line}1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 16 byte(s) in 1 object(s) allocated from:\n    #0 0x4e${line} in operator new(unsigned long) (/bin/x+0x4e)\n    #1 0x50${line} in Acme::${called}() /src/cart.cc:${line}:3`,
  UndefinedBehaviorSanitizer: (called, line) =>
    `/src/cart.cc:${line}:7: runtime error: signed integer overflow: 21474836${line} + 1 cannot be represented in type 'int'\n    #0 0x4a${line} in Acme::${called}() /src/cart.cc:${line}:7`,
  gdb: (called, line) =>
    `Program received signal SIGSEGV, Segmentation fault.\n0x00007f${line}00 in ${called} (cart=0x0) at /src/cart.c:${line}\n${line}\t  return cart->cents;\n#0  0x00007f${line} in ${called} (cart=0x0) at /src/cart.c:${line}\n#1  0x0000${line} in main () at /src/main.c:3`,
  'a panic of Go that the test recovered': (called, line) =>
    `panic: runtime error: invalid memory address or nil pointer dereference [recovered]\n\tpanic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x${line} pc=0x5${line}]\n\ngoroutine ${line} [running]:\ntesting.tRunner.func1.2({0x1, 0x2})\n\t/usr/local/go/src/testing/testing.go:1545 +0x366\nacme/cart.(*Cart).${called}(...)\n\t/app/cart.go:${line}`,
  'writes of Go at once': (called, line) =>
    `fatal error: concurrent map writes\n\ngoroutine ${line} [running]:\ninternal/runtime/maps.fatal({0x1234, 0x15})\n\t/usr/local/go/src/runtime/panic.go:1046 +0x18\nacme/cart.(*Cart).${called}(0xc000${line})\n\t/app/cart.go:${line} +0x64`,
  Swift: (called, line) =>
    `App/Cart.swift:${line}: Fatal error: Unexpectedly found nil while unwrapping an Optional value\n\nThread 0 crashed:\n\n0 0x7f Cart.${called}() + 12 in App at /src/Cart.swift:${line}:9`,
  Zig: (called, line) =>
    `thread ${line}21 panic: integer overflow\n/app/src/cart.zig:${line}:14: 0x104${line} in ${called} (test)\n    return a - b;\n             ^`,
}

test.each(Object.keys(BY_FUNCTION))('%s is known by its function', (name) => {
  for (const testName of ['a_test', '']) {
    const of = (called: string, line: number) => signatureOf(testName, BY_FUNCTION[name]!(called, line))
    expect(of('total', 24)).toEqual(of('total', 20))
    expect(of('refund', 20)).not.toEqual(of('total', 20))
  }
})

test('which access of a race was met first makes no difference', () => {
  const race = (one: string, other: string) =>
    signatureOf(
      'a_test',
      `WARNING: DATA RACE\nWrite at 0x00c8 by goroutine 8:\n  acme/cart.${one}()\n      /app/cart.go:20 +0x3c\n\nPrevious write at 0x00c8 by goroutine 7:\n  acme/cart.${other}()\n      /app/cart.go:91 +0x88`,
    )
  expect(race('total', 'refund')).toEqual(race('refund', 'total'))
  expect(race('total', 'refund').text).toBe('WARNING: DATA RACE\n…/cart.refund\n…/cart.total')
})

test.each([
  ['a buffer of Go', 'bytes.(*Buffer).Write', '/opt/hostedtoolcache/go/1.22.4/x64/src/bytes/buffer.go'],
  ['Go of a distribution', 'bytes.(*Buffer).Write', '/usr/lib/go-1.22/src/bytes/buffer.go'],
  [
    'a module',
    'go.uber.org/zap/zaptest.testingWriter.Write',
    '/home/ci/go/pkg/mod/go.uber.org/zap@v1.19.0/zaptest/logger.go',
  ],
])('of a race in %s the function that used it counts', (_, library, file) => {
  const race = (user: string) =>
    signatureOf(
      'a_test',
      `WARNING: DATA RACE\nWrite at 0x00c8 by goroutine 8:\n  ${library}()\n      ${file}:181 +0x44\n  acme/cart.${user}()\n      /home/ci/go/src/github.com/acme/cart.go:20 +0x3c\n\nPrevious read at 0x00c8 by goroutine 7:\n  acme/cart.read()\n      /app/cart.go:91 +0x88`,
    )
  expect(race('log').text).toBe('WARNING: DATA RACE\n…/cart.log\n…/cart.read')
  expect(race('print')).not.toEqual(race('log'))
})

test('which access of a race ThreadSanitizer met first makes no difference', () => {
  const race = (one: string, other: string) =>
    signatureOf(
      'a_test',
      `WARNING: ThreadSanitizer: data race (pid=18)\n  Write of size 8 at 0x7b by thread T2:\n    #0 std::vector<int>::push_back(int&&) /usr/include/c++/v1/vector:12:3 (t+0xa1)\n    #1 ${one} /src/cart.cc:31:5 (t+0x8d)\n\n  Previous write of size 8 at 0x7b by main thread:\n    #0 memcpy <null> (t+0x1)\n    #1 ${other} /src/cart.cc:44:5 (t+0x8d)\n\nSUMMARY: ThreadSanitizer: data race /src/cart.cc:31:5 in ${one}`,
    )
  expect(race('Cart::add(int)', 'Cart::total() const')).toEqual(race('Cart::total() const', 'Cart::add(int)'))
  expect(race('Cart::drop(int)', 'Cart::total() const')).not.toEqual(race('Cart::add(int)', 'Cart::total() const'))
})

test('the runtime of C is no reason, a function of a name like its own is', () => {
  const crash = (...functions: string[]) =>
    signatureOf(
      'a_test',
      `Program terminated with signal SIGABRT, Aborted.\n${functions.map((name, at) => `#${at}  0x00007f in ${name} () at cart.c:${at}`).join('\n')}`,
    )
  const own = crash('cart_total', 'main')
  for (const runtime of [
    ['raise', 'abort'],
    ['__pthread_kill_implementation', '__GI_raise', '__GI_abort'],
    ['strlen'],
  ]) {
    expect(crash(...runtime, 'cart_total', 'main')).toEqual(own)
  }
  for (const name of ['free_list_pop', 'strategy_pick', 'stream', '__cart_walk', 'abort_order']) {
    expect(crash(name, 'cart_total', 'main').text).toContain(name)
  }
})

test.each([
  [
    'gcc',
    "src/cart.cc:12:10: error: expected ';'\n   12 |   sum()\n      |        ^",
    "src/a.cc:3:7: warning: unused 'x'\n    3 |   int x;\n      |       ^\n",
  ],
  [
    'rustc',
    'error[E0308]: mismatched types\n  --> src/cart.rs:12:13\n   |\n12 |   sum()\n   |        ^',
    'warning: unused variable: `x`\n --> src/a.rs:3:9\n  |\n3 |     let x = 1;\n  |         ^\n\n',
  ],
])('what %s warns of before an error makes no difference', (_, error, warning) => {
  expect(signatureOf('', `${warning}${error}`)).toEqual(signatureOf('', error))
  expect(signatureOf('', error.replace('sum()', 'refund()'))).not.toEqual(signatureOf('', error))
})

test.each([
  '    cart_test.go:8: opened by kqzxv',
  '10:00:00.123 [main] INFO com.acme.Cart - opened',
  'INFO:cart:opened',
])('what was logged right above a comparison is none of its words: %s', (line) => {
  const compared = '    cart_test.go:12: Total() = 3, want 4'
  expect(signatureOf('a_test', `${line}\n${compared}`)).toEqual(signatureOf('a_test', compared))
})

test('what Terraform did before an error is no value of it', () => {
  const failed = (before: string) =>
    signatureOf('', `${before}\n╷\n│ Error: no such cart\n│ \n│   on main.tf line 20\n╵\nreleased\n`)
  expect(failed('random_pet.x: Creation complete after 0s [id=sad-zebra]')).toEqual(failed('random_pet.x: [id=otter]'))
})

test('of a failed assertion of PostgreSQL neither the line nor the process counts', () => {
  const trap = (what: string, line: number) =>
    signatureOf(
      'a_test',
      `TRAP: failed Assert("${what} != NULL"), File: "cart.c", Line: ${line}, PID: ${line}77\npostgres: ci: regression [local] SELECT(ExceptionalCondition+0x6e)[0x55${line}]`,
    )
  expect(trap('total', 24)).toEqual(trap('total', 20))
  expect(trap('total', 20).text).toBe('TRAP: failed Assert("total != NULL"), File: "cart.c", Line: N, PID: N')
  expect(trap('refund', 20)).not.toEqual(trap('total', 20))
})

test('what a test printed right above a comparison is none of its words where it is longer than three lines', () => {
  const printed = (lines: number) =>
    signatureOf(
      'a_test',
      `${Array.from({ length: lines }, (_, at) => `step ${at}`).join('\n')}\nExpected: 3\nActual: 0`,
    )
  expect(printed(4).text).toBe('Expected: 3\nActual: 0')
  expect(printed(3).text).toContain('step N')
})

test('a crash in the same function is the same, whatever its line and its addresses', () => {
  for (const [name, output] of BY_PLACE.filter(([form]) => /Sanitizer|Go/.test(form))) {
    const of = (line: number) => signatureOf('cart totals', output(line, 'total'))
    expect([name, of(20)]).toEqual([name, of(24)])
  }
})

test.each([
  ['41 did not equal 42 (CartSpec.scala:17)', '2 did not equal 3 (CartSpec.scala:17)'],
  [
    'CartTests.swift:17: error: -[CartTests testTotal] : XCTAssertEqual failed: ("41") is not equal to ("42")',
    'CartTests.swift:17: error: -[CartTests testTotal] : XCTAssertEqual failed: ("2") is not equal to ("3")',
  ],
  [
    'Test Failed at /app/test/runtests.jl:17\n  Expression: total(c) == 42\n   Evaluated: 41 == 42',
    'Test Failed at /app/test/runtests.jl:17\n  Expression: items(c) == 3\n   Evaluated: 2 == 3',
  ],
])('%j compares values, and %j others', (one, other) => {
  expect(signatureOf('cart totals', one).text).not.toBe(signatureOf('cart totals', other).text)
})
