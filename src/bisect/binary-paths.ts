import { matchesGlob } from '../measurement/glob.ts'

/**
 * Paths of files that are not built into the binary, in most repositories. A pattern that starts with `!` takes back what
 * those before it say. What is not listed can reach the binary: a commit is set aside only where that is sure.
 *
 * Set aside: `docs/en/sql-reference/functions.md`, `tests/queries/0_stateless/03999_a.sql`, `.github/workflows/ci.yml`.
 * Not: `src/Processors/MergeSorter.cpp`, `CMakeLists.txt`, `contrib/zstd`; `tests/performance/jit_sort.xml`, which is not
 * in the binary either, but changes what is measured.
 */
export const DEFAULT_INERT_PATHS: readonly string[] = [
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
  // CI and the tools of those who edit
  '.github/**',
  '.gitlab/**',
  '.circleci/**',
  '.buildkite/**',
  'ci/**',
  '.gitlab-ci.yml',
  '.travis.yml',
  'Jenkinsfile',
  '.pre-commit-config.yaml',
  '.editorconfig',
  '.gitignore',
  '.gitattributes',
  '.git-blame-ignore-revs',
  '.mailmap',
  '.vscode/**',
  '.idea/**',
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
