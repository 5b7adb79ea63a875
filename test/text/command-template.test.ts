import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { unsafePlaceholder } from '../../src/text/command-template.ts'
import { shellQuote } from '../../src/text/quote.ts'
import { fillIn } from '../../src/text/url-template.ts'

/** How a variable in braces begins. */
const OPEN = '${'

test.each([
  'tests/performance/run.sh {test} {query}',
  'run.sh --test={test} --query {query}',
  '"my run.sh" {test}',
  "'my run.sh' {test} --arch='a b'",
  'cd "$(git rev-parse --show-toplevel)" && run.sh {test}',
  '"$(dirname "$0")/run.sh" {test}',
  'ARCH={architecture} run.sh {test} | tee "$HOME/out"; echo `date` {test}',
  'run.sh "$ARCH"{test} "a`date`b" {query} "it\'s (" {test}',
  '(cd build && ./bench_{test} {query})',
  'run.sh {test} # don’t, and don\'t: "quotes"',
  'run.sh a\\ b {test} $((1 + 2))',
  'sh -c \'run.sh "$1"\' sh {test}',
  'taskset -c {query} run.sh',
  'run.sh <<< {test}',
  'run.sh {test} > out 2>&1',
  'run.sh a#{test}',
  "run.sh 'a\\' {test} 'a\"b' {query}",
  "run.sh $'a\"b\\'' {test}",
  '((1 < 2)) && run.sh {test}',
  'eval "$SETUP"; run.sh {test} $(ssh bench nproc) {query}',
  'run.sh',
  'bash -o pipefail run.sh -c {test}',
  'python3 -m pytest . -c {test} && perl run.pl -e {test}',
  'env -i A={architecture} run.sh -S {test}',
  "perl -ne 'print' {test} | perl -pe 's/a/b/' | python3 -m json.tool",
  'run.sh {test} | bash summary.sh -s | tee out; sh',
  "run.sh {test} 2>&1 | bash -c 'cat > out' || sh",
  'go test . -bench {test}',
  'python3 run.py -c{test}',
  "run.sh {test} | perl -ne'print'",
  '. ./env.sh && run.sh {test}',
  'source env.sh; run.sh {test} > source',
  "su bench -c 'run.sh $0' {test}",
  'run.sh <<< {test} | xargs run.sh',
])('safe: %s', (template) => {
  expect(unsafePlaceholder(template)).toBeNull()
})

test.each([
  ['run.sh "{test}"', '{test} is inside double quotes'],
  ['run.sh "--test={test}"', '{test} is inside double quotes'],
  ['run.sh $"{test}"', '{test} is inside double quotes'],
  ["run.sh '{test}'", '{test} is inside single quotes'],
  ["run.sh {test} '{query}'", '{query} is inside single quotes'],
  ["run.sh $'{test}'", '{test} is inside single quotes'],
  ["sh -c 'run.sh {test}'", '{test} is inside single quotes'],
  ['run.sh `basename {test}`', '{test} is inside backticks'],
  ['run.sh $(basename {test})', '{test} is inside $(…)'],
  ['"$(dirname "{test}")/run.sh"', '{test} is inside double quotes'],
  ['run.sh "\\"{test}"', '{test} is inside double quotes'],
  [`run.sh ${OPEN}A:-{test}}`, '{test} is inside the braces of a variable'],
  ['run.sh $(({query} + 1))', '{query} is inside $(…)'],
  ['(( ((1)) + {query} ))', '{query} is inside ((…))'],
  ['run.sh "\\{test}"', '{test} comes after "\\"'],
  ['(( {query} > 1 )) && run.sh', '{query} is inside ((…))'],
  ['run.sh $[{query}]', '{query} is inside $[…]'],
  ['diff <(run.sh {test}) a', '{test} is inside <(…)'],
  [`run.sh ${OPEN}test}`, '{test} comes after "$"'],
  ['run.sh \\{test}', '{test} comes after "\\"'],
  ['cat <<END {test}', 'it has a here-document (<<)'],
  ['cat <<-"END" | run.sh {test}', 'it has a here-document (<<)'],
  ["run.sh {test} 'a", 'something inside single quotes is never closed'],
  ['run.sh {test} `a', 'something inside backticks is never closed'],
  ['run.sh {test} \\', 'it ends with "\\"'],
  ['sh -c {test}', '{test} is read as a command by sh -c'],
  ['/bin/bash -e -lc {test}', '{test} is read as a command by /bin/bash -lc'],
  ['cd build && eval run.sh {test}', '{test} is read as a command by eval'],
  ['ssh $(cat host) run.sh {test}', '{test} is read as a command by ssh'],
  ['ssh bench run.sh {test}', '{test} is read as a command by ssh'],
  ['eval 2>&1 {test}', '{test} is read as a command by eval'],
  ['eval &> out {test}', '{test} is read as a command by eval'],
  ['su - bench -c {test}', '{test} is read as a command by su -c'],
  ['su bench --command={test}', '{test} is read as a command by su --command='],
  ['fish -c {test}', '{test} is read as a command by fish -c'],
  ['csh -fc {test}', '{test} is read as a command by csh -fc'],
  ['bash -c -e {test}', '{test} is read as a command by bash -c'],
  ['bash -ce {test}', '{test} is read as a command by bash -ce'],
  ['bash -c -o pipefail {test}', '{test} is read as a command by bash -c'],
  ['bash > out -c {test}', '{test} is read as a command by bash -c'],
  ['bash 2>/dev/null -c {test}', '{test} is read as a command by bash -c'],
  ['bash --rcfile a -c {test}', '{test} is read as a command by bash -c'],
  ['env -S {test}', '{test} is read as a command by env -S'],
  ['env -iS{test}', '{test} is read as a command by env -iS'],
  ['sudo python3 -u -c {test}', '{test} is read as a command by python3 -c'],
  ['python3.12 -W ignore -c{test}', '{test} is read as a command by python3.12 -c'],
  ['perl -Ilib -ne {test}', '{test} is read as a command by perl -ne'],
  ['perl -e 1 -e {test}', '{test} is read as a command by perl -e'],
  ['node --eval={test}', '{test} is read as a command by node --eval='],
  ['php -r {test}', '{test} is read as a command by php -r'],
  ['trap {test} EXIT', '{test} is read as a command by trap'],
  ['watch -n 1 run.sh {test}', '{test} is read as a command by watch'],
  ['A=1 source {test}', '{test} is read as a command by source'],
  ['(if . {test}; then run.sh; fi)', '{test} is read as a command by .'],
  ['echo {test} | sh', '{test} is read as a command by sh'],
  ['{ echo {query}; echo {test}; } |& sudo /bin/bash -s -- a', '{query} is read as a command by /bin/bash'],
  ['echo {test} | (cd build && sh)', '{test} is read as a command by sh'],
  ['echo {test} | sh > out', '{test} is read as a command by sh'],
  ['echo {test} | sh 2>&1 | tee out', '{test} is read as a command by sh'],
  ['echo {test} | bash /dev/stdin', '{test} is read as a command by bash'],
  ['echo {test} | python3 -', '{test} is read as a command by python3'],
  ['echo {test} | ssh bench', '{test} is read as a command by ssh'],
  ["echo {test} | xargs -I % sh -c 'run.sh %'", '{test} is read as a command by xargs'],
  ['sh <<< {test}', '{test} is read as a command by sh'],
  ['bash<<<{test}', '{test} is read as a command by bash'],
])('unsafe: %s', (template, problem) => {
  expect(unsafePlaceholder(template)?.problem).toBe(problem)
})

test('a placeholder that is bare is not to be written bare', () => {
  expect(unsafePlaceholder('run.sh "{test}"')?.advice).toContain('write each placeholder bare')
  for (const command of ['ssh bench run.sh {test}', 'sh -c {test}', 'echo {test} | sh']) {
    expect(unsafePlaceholder(command)?.advice).toBe('remove that program or use sh -c \'… "$1"\' sh {test}')
  }
})

const folder = mkdtempSync(join(tmpdir(), 'perf-triage-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('what is let through runs no part of a name in a real shell, alone or above another one', () => {
  const ran = join(folder, 'ran')
  writeFileSync(join(folder, 'pwned'), `#!/bin/sh\n: > '${ran}'\n`, { mode: 0o755 })
  const piece = fc.constantFrom(
    '{test}',
    '"',
    "'",
    '`',
    '$(',
    ')',
    '${A:-',
    '}',
    '\\',
    '$',
    ' ',
    ';',
    '#',
    '((',
    '))',
    '<<A',
    '(',
    'a',
    "'a b'",
    '"$(b)"',
    ' true ',
    '; echo ',
    '; eval ',
    '; sh -c ',
    '; bash -e ',
    ' | sh ',
    ' -s ',
  )
  const template = fc
    .array(piece, { maxLength: 7 })
    .map((pieces) => `: ${pieces.join('')}`)
    .filter((text) => text.includes('{test}') && unsafePlaceholder(text) === null)
  const names = ['$(pwned)', '`pwned`', "';pwned;'", '";pwned;"', "a'$(pwned)'b", ')pwned;', '\\";pwned;']
  fc.assert(
    fc.property(template, fc.constantFrom(...names), (text, value) => {
      const known = text.replaceAll(/\{(?!test\})[^{}]*\}/g, '')
      const command = fillIn(known, { test: value }, (word) => shellQuote(word)!)
      for (const shell of ['sh', 'bash']) {
        try {
          execFileSync(shell, ['-c', `${command}\n${command}`], {
            cwd: folder,
            stdio: 'ignore',
            env: { PATH: [folder, process.env['PATH']].join(delimiter) },
          })
        } catch {
          // A syntax error, or a program that is not there.
        }
      }
      expect(existsSync(ran), command).toBe(false)
    }),
    { numRuns: 150 },
  )
})
