import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedFunctions, functionsOfPatch } from '../../../src/judge/profile/changed-functions.ts'
import { languageOf } from '../../../src/judge/profile/source-language.ts'
import { computed } from '../../computing-time.ts'

const of = (path: string, patch: string) => functionsOfPatch(patch, languageOf(path)!)
const known = (names: readonly string[]) => ({ names, unknownHunks: 0, isInlinable: false, changesCode: true })

describe('C++', () => {
  test('a change inside the function that the hunk names', () => {
    const patch = `@@ -710,7 +710,7 @@ void NO_INLINE Aggregator::executeImpl(AggregatedDataVariants & result, Arena * aggregates_pool, si
     for (size_t i = row_begin; i < row_end; ++i)
-        aggregates[i] = state.emplaceKey(data, i, pool);
+        aggregates[i] = find(data, i);
     return;`
    expect(of('src/A.cpp', patch)).toEqual(known(['Aggregator::executeImpl']))
  })

  test('one that ended above the change is not changed, one whose definition the hunk shows is', () => {
    const patch = `@@ -10,9 +10,10 @@ void Aggregator::first()
     x();
 }
 
-void Aggregator::second(
-    int a) const
+void Aggregator::second(int a) const
 {
     y();
 }
@@ -40,6 +41,7 @@ size_t Aggregator::third() const
 {
     if (a)
         return 1;
+    b();
 }
 
 int Aggregator::fourth()`
    expect(of('src/A.cpp', patch)).toEqual(known(['Aggregator::second', 'Aggregator::third']))
  })

  test('constructors with initializers, destructors, operators', () => {
    const patch = `@@ -1,3 +1,4 @@ DB::Foo::Foo(int a)
     : a(a)
+    , b(a)
 {
 }
@@ -20,6 +21,8 @@ namespace DB
 Foo & Foo::operator=(Foo && other) noexcept
 {
+    a = 1;
 }
 
-Foo::~Foo() = default;
+Foo::~Foo() { a(); }
 
 void Foo::last()`
    expect(of('src/A.cpp', patch)).toEqual(known(['DB::Foo::Foo', 'Foo::operator=', 'Foo::~Foo']))
  })

  test('methods inside a class, and what is no method there', () => {
    const patch = `@@ -1,8 +1,9 @@ class FunctionFoo : public IFunction
     }
 
     ColumnPtr executeImpl(const ColumnsWithTypeAndName & arguments, size_t rows) const override
     {
+        if (rows)
+            return nullptr;
         return call(rows);
     }`
    expect(of('src/A.cpp', patch)).toEqual(known(['FunctionFoo::executeImpl']))
    const member = `${patch}
 private:
-    size_t n;
+    size_t m;
 };`
    expect(of('src/A.cpp', member)).toMatchObject({ names: ['FunctionFoo::executeImpl'], unknownHunks: 1 })
  })

  test('a template, its line above the definition, says that it may be anywhere', () => {
    const patch = `@@ -1,3 +1,5 @@ namespace DB
+template <typename T>
 bool MergeSorter<T>::next()
 {
     foo();
 }`
    expect(of('src/A.cpp', patch)).toEqual({
      ...known(['MergeSorter::next']),
      isInlinable: true,
    })
    const body = `@@ -10,3 +10,4 @@ bool MergeSorter<T>::next()
     foo();
+    bar();
 }`
    expect(of('src/A.cpp', body).isInlinable).toBe(true)
  })

  test.each([
    ['an inline function', '@@ -1,3 +1,4 @@ inline int f(int a)\n {\n+    x();\n }'],
    ['a macro', '@@ -1,1 +1,2 @@ void A::f()\n     a();\n+#define X(a) a'],
    ['always inlined', '@@ -1,1 +1,2 @@\n ALWAYS_INLINE void A::f()\n {\n+    x();\n }'],
    ['constexpr', '@@ -1,1 +1,2 @@\n+static constexpr size_t limit = 5;'],
  ])('%s may be compiled into any function', (_name, patch) => {
    expect(of('src/A.cpp', patch).isInlinable).toBe(true)
  })

  test.each([
    ['a variable of the file', '@@ -1,3 +1,4 @@ void A::f()\n }\n \n+static int counter = 0;'],
    ['a declaration', '@@ -1,3 +1,4 @@\n+void f(int a);'],
    ['a macro that is used', '@@ -1,3 +1,4 @@\n+REGISTER_FUNCTION(Foo)'],
    ['a return type whose function is out of sight', '@@ -1,3 +1,4 @@\n+static void'],
    ['no diff at all', 'Binary files differ'],
    ['nothing', ''],
  ])('%s is in no function', (_name, patch) => {
    expect(of('src/A.cpp', patch)).toMatchObject({ names: [], unknownHunks: 1 })
  })

  test('includes and declarations of what is elsewhere become no code', () => {
    const patch = `@@ -1,9 +1,12 @@
 #include <a>
+#include <b>
+class Context;
 namespace ErrorCodes
 {
+    extern const int LOGICAL_ERROR;
 }
 
 void A::f()
 {
+    x();
 }`
    expect(of('src/A.cpp', patch)).toEqual(known(['A::f']))
  })

  test('comments and empty lines change nothing', () => {
    const patch = `@@ -1,3 +1,9 @@
+
+/// what it does
+/* and
+   why */
+// and how
+ * the end of a comment that began above
 void A::f()`
    expect(of('src/A.cpp', patch)).toEqual({ ...known([]), changesCode: false })
    const includes = { path: 'src/B.cpp', patch: '@@ -1 +1,2 @@ void B::f()\n x\n+#include <a>' }
    expect(changedFunctions([{ path: 'src/A.cpp', patch }, includes], false, () => true).files).toEqual(['src/B.cpp'])
  })

  test('calls and control flow are no definitions', () => {
    const patch = `@@ -1,3 +1,9 @@ void A::f(int a)
     if (a)
     {
+        auto x = g(a);
+        for (auto & y : x)
+            h(y);
     }
+    throw Exception(ErrorCodes::LOGICAL_ERROR, "x");`
    expect(of('src/A.cpp', patch)).toEqual(known(['A::f']))
  })
})

test.each([
  ['a.py', ['A::f', 'g'], '@@ -1,3 +1,9 @@ class A:\n     def f(self):\n-        x\n+        y\n+\n+def g():\n+    z'],
  [
    'a.go',
    ['Store::Get', 'New'],
    '@@ -1,3 +1,9 @@ func (s *Store) Get(key string) error {\n \ta\n+\tb\n }\n \n+func New() *Store {\n+\treturn nil\n+}',
  ],
  ['a.rs', ['Vec::drop'], '@@ -1,3 +1,9 @@ impl<T> Drop for Vec<T> {\n     fn drop(&mut self) {\n+        x\n     }'],
  [
    'A.java',
    ['Foo::run'],
    '@@ -1,3 +1,9 @@ public class Foo extends Bar {\n+    @Override\n     public void run(int a) {\n+        x();\n     }',
  ],
  ['a.ts', ['judge'], '@@ -1,3 +1,9 @@ export async function judge(input: A): B {\n   const x = 1\n+  y()\n }'],
  [
    'a.ts',
    ['Scanner::step'],
    '@@ -1,3 +1,9 @@ export class Scanner {\n   #step(text: string): string {\n+    x()\n   }',
  ],
  [
    'a.rs',
    ['RawMutex::is_locked'],
    '@@ -1,3 +1,9 @@ pub unsafe trait RawMutex {\n     fn is_locked(&self) -> bool {\n+        x();\n     }',
  ],
  ['a.c', ['tcp_sendmsg'], '@@ -1,3 +1,9 @@ int tcp_sendmsg(struct sock *sk)\n {\n \tint a;\n+\ta = 1;\n }'],
])('%s', (path, names, patch) => {
  expect(of(path, patch)).toEqual(known(names))
})

test('a pull request: what reaches the binary, and what is not known of it', () => {
  const hunk = '@@ -1,2 +1,3 @@ void A::f()\n     x();\n+    y();'
  const files = [
    { path: 'docs/a.md', patch: '@@ -1 +1 @@\n+x' },
    { path: 'src/A.cpp', previousPath: 'src/Old.cpp', patch: hunk },
    { path: 'src/B.h', patch: hunk },
    { path: 'src/Large.cpp', patch: null },
    { path: 'CMakeLists.txt', patch: '@@ -1 +1 @@\n+x' },
  ]
  expect(changedFunctions(files, false, (path) => !path.startsWith('docs/'))).toEqual({
    functions: [
      { name: 'A::f', file: 'src/A.cpp', earlierFile: 'src/Old.cpp' },
      { name: 'A::f', file: 'src/B.h' },
    ],
    files: ['src/A.cpp', 'src/Old.cpp', 'src/B.h', 'src/Large.cpp', 'CMakeLists.txt'],
    unknownHunks: 0,
    unknownFiles: ['src/Large.cpp', 'CMakeLists.txt'],
    inlinable: ['src/B.h'],
    isCut: false,
  })
})

test('any function of a language that inlines freely may be in others', () => {
  const patch = (context: string) => `@@ -1,2 +1,3 @@ ${context}\n   x()\n+  y()`
  const files = [
    { path: 'src/Mixer.java', patch: patch('int Mixer.mix(int x) {') },
    { path: 'mixer.go', patch: patch('func (m *Mixer) Mix(x int) int {') },
    { path: 'mixer.js', patch: patch('function mixer(x) {') },
    { path: 'mixer.py', patch: patch('def mixer(x):') },
    { path: 'src/Mixer.cpp', patch: patch('int Mixer::mix(int x)') },
    { path: 'src/Only.java', patch: '@@ -1,2 +1,3 @@\n x\n+// words' },
  ]
  expect(changedFunctions(files, false, () => true).inlinable).toEqual(['src/Mixer.java', 'mixer.go', 'mixer.js'])
})

const line = fc
  .tuple(
    fc.constantFrom('+', '-', ' ', '\\', '@@ -1,2 +3,4 @@ ', ''),
    fc.array(
      fc.constantFrom(
        ...[
          '    ',
          '\t',
          'void ',
          'A::',
          'f',
          '(',
          ')',
          '{',
          '}',
          ';',
          'class ',
          'template <',
          '>',
          '#',
          '/*',
          '*/',
          '//',
          '= default',
          'def ',
          'func ',
          'fn ',
          'impl ',
          '\r',
          '"',
          'operator',
          ':',
          '\ud800',
        ],
      ),
      { maxLength: 12 },
    ),
  )
  .map(([marker, parts]) => marker + parts.join(''))

test('any text is read, and a changed line is in a function or not known', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      fc.constantFrom('a.cpp', 'a.py', 'a.go', 'a.rs', 'a.java'),
      (lines, path) => {
        const before = of(path, lines.join('\n'))
        expect(new Set(before.names).size).toBe(before.names.length)
        expect(before.unknownHunks).toBeLessThanOrEqual(Math.max(1, lines.length))
        const { names, unknownHunks } = of(path, [...lines, '@@ -1 +1 @@', '+x = 1;'].join('\n'))
        expect(names).toEqual(before.names)
        expect(unknownHunks).toBeGreaterThanOrEqual(1)
      },
    ),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,8} = [a-z]{1,8};$/), (statement) => {
      expect(of('a.cpp', `@@ -1 +1 @@\n+${statement}`)).toMatchObject({ names: [], unknownHunks: 1 })
      expect(of('a.cpp', `@@ -1 +1 @@ void A::f()\n+    ${statement}`)).toEqual(known(['A::f']))
    }),
  )
})

test('a megabyte of anything takes well under a second', () => {
  const start = computed()
  for (const piece of ['a ', '(', 'template <', 'AB() ', 'pub ', '; ', 'A(a) ', '= ', '{ ']) {
    const text = piece.repeat(100_000 / piece.length)
    for (const path of ['a.cpp', 'a.rs', 'a.java', 'a.py', 'a.go'])
      of(path, `@@ -1 +1 @@ ${text}\n+${text}\n${`+${piece}\n`.repeat(2000)}`)
  }
  expect(computed() - start).toBeLessThan(5000)
})
