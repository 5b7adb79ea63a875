/** The advice for the output of a tool that has no reader. */
const WRITE = 'this format isn’t supported; write its numbers as `measurements`, one line of JSON each'

/** The outputs that tools write beside the ones that are read, by their first lines, and what to do for one that is. */
const NEAR_MISSES: readonly (readonly [what: string, instead: string, pattern: RegExp])[] = [
  ['hyperfine’s Org table', 'export JSON (--export-json)', /^\| Command {2,}\|.*Mean \[/m],
  ['hyperfine’s Markdown', 'export JSON (--export-json)', /^\| Command \|.*Mean \[/m],
  ['hyperfine’s AsciiDoc', 'export JSON (--export-json)', /^\|=+\n\| ?Command/m],
  ['what hyperfine prints', 'export JSON (--export-json)', /^Benchmark (?:#|\d+).*:.*\n\s+Time \(mean ± σ\)/m],
  ['what pytest-benchmark prints', 'write JSON (--benchmark-json=FILE)', /^-+ benchmark(?: '|:).*\d+ tests? -+$/m],
  ['pytest-benchmark’s CSV', 'write JSON (--benchmark-json=FILE)', /^name,(?:min|param:|.*\bstddev_outliers\b)/],
  [
    'the table of Google Benchmark’s compare.py',
    'use --dump_to_json FILE',
    /^Benchmark +Time +CPU +Time Old +Time New/m,
  ],
  [
    'Google Benchmark’s CSV',
    'write JSON (--benchmark_out_format=json)',
    /^name,iterations,real_time,cpu_time,time_unit/m,
  ],
  [
    'the table of benchstat',
    'give the output of go test -bench itself',
    /^\s+│.*\n?\s*│\s+sec\/op\s+│|^name\s+(?:old )?time\/op/m,
  ],
  [
    'what criterion prints with --message-format',
    'give its folder target/criterion',
    /^\{"reason":"benchmark-complete"/m,
  ],
  ['JMH’s text', 'write JSON (-rf json)', /^Benchmark\s+(?:\(\w+\)\s+)*Mode\s+Cnt\s+Score/m],
  ['JMH’s CSV', 'write JSON (-rf json)', /^"?Benchmark"?,"?Mode"?,"?Threads"?/m],
  [
    'BenchmarkDotNet’s Markdown',
    'export JSON (--exporters json)',
    /^BenchmarkDotNet v?[\d.]+|^\|\s+Method\s+\|.*Mean\s+\|/m,
  ],
  ['the report of criterion', 'give its folder target/criterion', /<title>[^<]{0,200}Criterion\.rs/],
  [
    'what pyperf prints',
    'write JSON (-o FILE)',
    /\bMean \+- std dev: |^Number of calibration run|^\+-+\+.*\n\| Benchmark +\|/m,
  ],
  ['what vitest bench prints', 'write JSON (--outputJson FILE)', /^ {2,}name +hz +min +max +mean +p75/m],
  ['the table of tinybench', 'write its tasks as JSON, each with `name` and `result`', /│ \(index\) +│ '?Task [nN]ame/],
  ['what mitata prints', "run it with format: 'json'", /^benchmark +avg \(min … max\)/m],
  ['what Benchee prints', WRITE, /^Name +ips +average +deviation/m],
  ['what ab prints', WRITE, /^This is ApacheBench/m],
  ['what hey prints', WRITE, /^Summary:\n +Total:\t/m],
  ['what vegeta prints', WRITE, /^Requests +\[total, rate/m],
  ['what pgbench prints', WRITE, /^tps = [\d.]+ \(/m],
  ['what redis-benchmark prints', WRITE, /^={4,} [^\n=]{1,100} ={4,}\n +\d+ requests completed/m],
  ['results of k6', 'write its summary (--summary-export FILE)', /\bhttp_req_duration\.{2,}|"type":"Point","data"/],
  ['Locust’s CSV', WRITE, /^"?Type"?,"?Name"?,"?Request Count"?/],
  ['the report of Artillery', WRITE, /"aggregate"\s*:\s*\{\s*"(?:counters|rates)"/],
  ['the report of Lighthouse', WRITE, /"lighthouseVersion"\s*:/],
  [
    'the recording of perf record',
    'print its stacks (perf script | stackcollapse-perf.pl) for `flamegraph`',
    /^PERFILE2/,
  ],
  ['a profile for speedscope', 'give folded stacks to `flamegraph`', /speedscope\.app\/file-format-schema/],
  ['JUnit XML', 'use `ledger import`', /^\s*(?:<\?xml[^>]*>\s*)?<testsuites?\b/],
  ['folded stacks', 'use `flamegraph`', /^[^\s;]+;\S+ \d+$/m],
]

/** What tools write that have no reader at all. */
export const WITHOUT_READER: readonly string[] = NEAR_MISSES.flatMap(([what, instead]) =>
  instead === WRITE ? [what] : [],
)

/** Kinds of files by the ends of their names, which are not opened. */
const ENDINGS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['Markdown', /\.(?:md|markdown)$/i],
  ['HTML', /\.html?$/i],
  ['XML', /\.xml$/i],
  ['a picture', /\.(?:svg|png|jpe?g|gif|webp)$/i],
  ['PDF', /\.pdf$/i],
  ['a profile: put it beside results, or give it to `flamegraph`', /\.(?:pprof|prof|folded|collapsed)$/i],
  ['CSV', /\.[ct]sv$/i],
  ['YAML', /\.ya?ml$/i],
]

/** The output that a file is by its beginning, with what to do in its place: `hyperfine’s Markdown: export JSON (--export-json)`. */
export function nearMiss(head: string): string | null {
  const found = NEAR_MISSES.find(([, , pattern]) => pattern.test(head))
  return found === undefined ? null : `${found[0]}: ${found[1]}`
}

/**
 * What a file that no format knows looks like, by its beginning, or by its name alone where it was not opened:
 * `hyperfine’s Markdown: export JSON (--export-json)`, `JSON`, `text`. null: nothing is known.
 */
export function looksLike(name: string, head: string | null): string | null {
  const near = head === null ? null : nearMiss(head)
  if (near !== null) return near
  const ending = ENDINGS.find(([, pattern]) => pattern.test(name))?.[0]
  if (head === null) return ending ?? null
  if (head === '') return 'nothing: it is empty'
  if (ending === undefined && head.includes('\u0000')) return 'binary data'
  return ending ?? (/^\s*[[{]/.test(head) ? 'JSON' : /^\s*</.test(head) ? 'XML' : 'plain text')
}
