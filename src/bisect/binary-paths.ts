import { matchesGlob } from '../measurement/glob.ts'

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
  // What is measured
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
  // What builds, wherever it stands
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
 * Whether a change of this file can change the binary: no pattern of `inertPatterns` fits, or the last one that fits
 * starts with `!`. Patterns are those of `matchesGlob`: without a `/` they look at the file's name alone.
 */
export function canReachBinary(path: string, inertPatterns: readonly string[]): boolean {
  let reaches = true
  for (const pattern of inertPatterns) {
    const takesBack = pattern.startsWith('!')
    if (matchesGlob(takesBack ? pattern.slice(1) : pattern, path)) reaches = takesBack
  }
  return reaches
}
