import { singleQuoted } from '../../text/quote.ts'

/**
 * How tools are built and run, and how they run some of their benchmarks alone. Where a tool can be told, it takes some tenths of a second for
 * a benchmark: many short turns tell more than few long ones, since a host is slow in spells and each process has its own layout.
 */

export interface Tool {
  /** May list what it made in the file that `BUILT_LIST` names, a hash a line; null: nothing has to be built. */
  readonly build: string | null
  /** Files that a benchmark seldom reads while it runs: they change what is built. null: any file may be read. */
  readonly sources: RegExp | null
  /** With `{out}` where the tool writes a file of its own, and `{filter}`. */
  readonly run: string
  /** Takes the place of `{filter}` where all are measured. */
  readonly all: string
  /** Takes the place of `{filter}` where some are; null: nobody knows how. */
  readonly some: ((names: readonly string[]) => string) | null
  /** The template as it is written down; null: there is none. */
  readonly template: string | null
  /** Prints the version of the toolchain. */
  readonly version: string | null
}

/** The variable of a build's environment that names a file for the hashes of what it made. */
export const BUILT_LIST = 'PERF_TRIAGE_BUILT'

interface Preset {
  readonly flags: string
  readonly words: string
  readonly of: (given: string) => Tool
}

const tool = (of: Partial<Tool> & Pick<Tool, 'run'>): Tool => ({
  build: null,
  sources: null,
  all: '',
  some: null,
  template: null,
  version: null,
  ...of,
})

/** That of the side, where its build made one: what both share would be one build. */
const OWN_PYTHON = 'PATH="$PWD/.venv/bin:$PATH"'

/** By the name of their option. */
export const PRESETS = {
  go: {
    flags: '--go [packages]',
    words: 'go test -bench of these packages',
    of: (given) =>
      tool({
        // the linked tests are hashed in the place of being run
        build: `go test -trimpath -buildvcs=false -run '^$' -bench '^$' -exec 'sh -c "IFS=; git hash-object $0 >>$${BUILT_LIST} || :"' ${given || './...'}`,
        sources: /\.go$|(?:^|\/)go\.(?:mod|sum|work)$/,
        run: `go test -trimpath -buildvcs=false -run '^$' -benchtime 0.2s {filter} ${given || './...'}`,
        all: '-bench .',
        some: (names) => `-bench ${regexOf(names.map((name) => name.replace(/-\d+$/, '').split('/')[0]!))}`,
        template: '-bench {regex}',
        version: 'go version',
      }),
  },
  criterion: {
    flags: '--criterion [arguments]',
    words: 'cargo bench with these arguments, such as "--bench sort"',
    of: (given) =>
      tool({
        build: `cargo bench --no-run ${given}`,
        run: `cargo bench ${given} -- --noplot --warm-up-time 0.2 --measurement-time 0.5 --sample-size 10 {filter}`,
        some: regexOf,
        template: '{regex}',
        version: 'rustc --version',
      }),
  },
  hyperfine: {
    flags: '--hyperfine <arguments>',
    words: 'hyperfine with these arguments, such as "-w 1 -r 3 ./run.sh"',
    of: (given) => tool({ run: `hyperfine --export-json {out} ${given}`, version: 'hyperfine --version' }),
  },
  pytest: {
    flags: '--pytest [arguments]',
    words: 'pytest --benchmark-only with these arguments',
    of: (given) =>
      tool({
        run: `${OWN_PYTHON} python -m pytest --benchmark-only --benchmark-max-time=0.2 --benchmark-json={out} {filter} ${given}`,
        some: (names) => onlyFunctions(distinct(names.map((name) => name.replace(/\[.*$/s, '')))),
        template: '-k {names}',
        version: `${OWN_PYTHON} python --version`,
      }),
  },
  vitest: {
    flags: '--vitest [arguments]',
    words: 'vitest bench with these arguments',
    of: (given) =>
      tool({
        build: 'npm ci',
        run: `npx vitest bench --run --outputJson={out} {filter} ${given}`,
        some: (names) => `-t ${singleQuoted(`(${distinct(names).map(escaped).join('|')})$`)}`,
        template: '-t {regex}',
        version: 'node --version',
      }),
  },
  jmh: {
    flags: '--jmh [jar]',
    words: 'one fork of the benchmarks of this jar (target/benchmarks.jar)',
    of: (given) =>
      tool({
        build: 'mvn -q -DskipTests package',
        run: `java -jar ${given || 'target/benchmarks.jar'} -f 1 -rf json -rff {out} {filter}`,
        some: regexOf,
        template: '{regex}',
        version: 'java -version 2>&1',
      }),
  },
  googleBenchmark: {
    flags: '--google-benchmark <program>',
    words: 'this Google Benchmark program; --build says how to build it',
    of: (given) =>
      tool({
        run: `${given} --benchmark_out={out} --benchmark_out_format=json {filter}`,
        some: (names) => `--benchmark_filter=${regexOf(names)}`,
        template: '--benchmark_filter={regex}',
        version: null,
      }),
  },
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS

/** The tool of `--run`: `filter` is the template of `--filter`. */
export function givenTool(run: string, filter: string | null): Tool {
  return tool({
    run,
    template: filter,
    some:
      filter === null
        ? null
        : (names) =>
            filter
              .replaceAll('{regex}', () => regexOf(names))
              .replaceAll('{names}', () => distinct(names).map(singleQuoted).join(' ')),
  })
}

/** An argument of so many characters is taken everywhere; of more names all are measured. */
const LONGEST_FILTER = 30_000

/** The command that measures all benchmarks, or these alone, into this file. */
export function commandOf({ run, all, some }: Tool, only: readonly string[] | null, out: string): string {
  const wanted = only === null || some === null ? all : some(only)
  const filter = wanted.length > LONGEST_FILTER ? all : wanted
  // First what may not occur in a name: a benchmark can be called `{out}`.
  const command = run.replaceAll('{out}', () => singleQuoted(out))
  return (command.includes('{filter}') ? command.replaceAll('{filter}', () => filter) : `${command} ${filter}`).trim()
}

/** All are measured where a name would be read as a part of the expression, such as `not`. */
function onlyFunctions(names: readonly string[]): string {
  return names.every((name) => /^\w+$/.test(name)) ? `-k ${singleQuoted(names.join(' or '))}` : ''
}

function regexOf(names: readonly string[]): string {
  return singleQuoted(`^(${distinct(names).map(escaped).join('|')})$`)
}

function escaped(name: string): string {
  return name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}
