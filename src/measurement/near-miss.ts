/** The outputs that tools write beside the ones that are read, by their first lines, and what to do for one that is. */
const NEAR_MISSES: readonly (readonly [what: string, instead: string, pattern: RegExp])[] = [
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
    'what criterion prints by --message-format',
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
  ['JUnit XML', 'that is for `ledger import`', /^\s*(?:<\?xml[^>]*>\s*)?<testsuites?\b/],
  ['folded stacks', 'that is for `flamegraph`', /^[^\s;]+;\S+ \d+$/m],
]

/** Kinds of files by the ends of their names, which are not opened. */
const ENDINGS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['Markdown', /\.(?:md|markdown)$/i],
  ['HTML', /\.html?$/i],
  ['XML', /\.xml$/i],
  ['a picture', /\.(?:svg|png|jpe?g|gif|webp)$/i],
  ['CSV', /\.[ct]sv$/i],
  ['YAML', /\.ya?ml$/i],
]

/**
 * What a file that no format knows looks like, by its beginning, or by its name alone where it was not opened:
 * `hyperfine’s Markdown: export JSON (--export-json)`, `JSON`, `text`. null: nothing is known.
 */
export function looksLike(name: string, head: string | null): string | null {
  const near = head === null ? undefined : NEAR_MISSES.find(([, , pattern]) => pattern.test(head))
  if (near !== undefined) return `${near[0]}: ${near[1]}`
  const ending = ENDINGS.find(([, pattern]) => pattern.test(name))?.[0]
  if (head === null) return ending ?? null
  if (head === '') return 'nothing: it is empty'
  if (head.includes('\u0000')) return 'binary data'
  return ending ?? (/^\s*[[{]/.test(head) ? 'JSON' : /^\s*</.test(head) ? 'XML' : 'plain text')
}
