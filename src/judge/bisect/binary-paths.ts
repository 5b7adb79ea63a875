import { compileGlob, type Effort, type Glob, matchesGlob } from '../../intake/measurement/glob.ts'

/**
 * Documentation and tests, which are built into no binary and build none, in most repositories. A pattern that starts with
 * `!` takes back what those before it say. What is not listed can reach the binary.
 *
 * In the list: `docs/en/sql-reference/functions.md`, `tests/queries/0_stateless/03999_a.sql`, `.gitignore`.
 * Not: `src/Processors/MergeSorter.cpp`, `contrib/zstd`; `docs/CMakeLists.txt`, which is part of the build; and
 * `tests/performance/jit_sort.xml`, which is not in the binary either, but changes what is measured.
 */
export const UNBUILT_PATHS: readonly string[] = [
  // Tests
  'test/**',
  'tests/**',
  '**/tests/**',
  '**/__tests__/**',
  // Tests of performance are what is measured.
  '!**/performance/**',
  '!**/benchmark/**',
  '!**/benchmarks/**',
  // Documentation
  '*.md',
  '*.mdx',
  '*.rst',
  '*.adoc',
  'doc/**',
  'docs/**',
  'LICENSE',
  'AUTHORS',
  'NOTICE',
  'CODEOWNERS',
  // The tools of those who edit
  '.pre-commit-config.yaml',
  '.editorconfig',
  '.gitignore',
  '.gitattributes',
  '.git-blame-ignore-revs',
  '.mailmap',
  '.vscode/**',
  '.idea/**',
  // Files that say how to build, wherever they stand.
  '!CMakeLists.txt',
  '!*.cmake',
  '!Makefile',
  '!Dockerfile*',
  '!*.dockerfile',
]

/**
 * The same and the CI's own files: who looks for the commit of a step looks there last. Most of them change nothing that
 * is measured, but one that changes the compiler or the machine does: they excuse nothing.
 *
 * Set aside: `.github/workflows/ci.yml`, `ci/jobs/performance_tests.py`. Not: `ci/docker/builder/Dockerfile`.
 */
export const DEFAULT_INERT_PATHS: readonly string[] = [
  '.github/**',
  '.gitlab/**',
  '.circleci/**',
  '.buildkite/**',
  'ci/**',
  '!ci/docker/**',
  '.gitlab-ci.yml',
  '.travis.yml',
  'Jenkinsfile',
  ...UNBUILT_PATHS,
]

/**
 * Comparisons for all the paths of a report. 3,000 files and a hundred patterns like `src/merges/**` take two million, a
 * hundred like `*-merge-*.cpp` nine; a hundred like `*aaa…ab*` would keep everything else waiting for minutes.
 */
const MOST_STEPS = 20_000_000

/**
 * Paths that can't change the binary, by patterns of `compileGlob`; one of these for all paths of a report. The last pattern
 * that fits decides: one that starts with `!` takes back. A path is looked at once.
 */
export class InertPaths {
  /** The last one first. */
  readonly #patterns: readonly { readonly glob: Glob; readonly takesBack: boolean }[]
  readonly #known = new Map<string, boolean>()
  readonly #effort: Effort = { steps: 0 }

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.toReversed().map((pattern) => {
      const takesBack = pattern.startsWith('!')
      return { glob: compileGlob(takesBack ? pattern.slice(1) : pattern), takesBack }
    })
  }

  /** Whether a change of this file can change the binary; true as well where finding out would take too long. */
  canReachBinary(path: string): boolean {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const reaches = this.#look(path.split('/'))
    this.#known.set(path, reaches)
    return reaches
  }

  #look(parts: readonly string[]): boolean {
    for (const { glob, takesBack } of this.#patterns) {
      if (this.#effort.steps >= MOST_STEPS) return true
      if (matchesGlob(glob, parts, this.#effort)) return takesBack
    }
    return true
  }
}
