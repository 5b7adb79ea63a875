import { isSameFile, isSourcePath, mayBeFile } from '../profile/source-path.ts'
import type { ChangedFile, Reason } from './failure.ts'

/** Files of one output that are kept: a stack is deep, and its first files say as much. */
const MOST_FILES = 20

/**
 * A path with its line, as frames of C++, Go, Java, JavaScript, Python and Rust have it: `a.cpp:12`, `"a.py", line 12`. The
 * search begins at the line number and looks back. From the first letter on, an output of dots would cost 300 steps a letter.
 */
const PLACE = /(?=[:"])(?<=(?<path>[\w@+./-]{1,300}\.[A-Za-z+]{1,5}))(?::\d{1,6}\b|", line \d{1,6}\b)/g

/** The source files that frames of an output name, in their order, each once. */
export function filesOfStack(output: string): readonly string[] {
  const files = new Set<string>()
  for (const { groups } of output.matchAll(PLACE)) {
    const path = groups?.['path'] ?? ''
    if (isSourcePath(path)) files.add(path)
    if (files.size >= MOST_FILES) break
  }
  return [...files]
}

/**
 * Whether the stack of a failure goes through a file that the pull request changes. It informs and decides nothing: a change
 * may break what it does not touch. Empty where nobody can tell.
 *
 * Does: `/build/src/Parsers/Lexer.cpp:12` and a change of `src/Parsers/Lexer.cpp`. Not known: a stack with `Lexer.cpp` alone.
 */
export function stackOnChanges(
  files: readonly string[],
  changedFiles: readonly ChangedFile[] | null,
): readonly Reason[] {
  if (files.length === 0 || changedFiles === null || changedFiles.length === 0) return []
  const changed = changedFiles.find(({ path }) => files.some((file) => isSameFile(file, path)))
  if (changed !== undefined) return [{ kind: 'stack-in-changed-file', path: changed.path }]
  const mayBe = changedFiles.some(({ path }) => files.some((file) => mayBeFile(file, path)))
  return mayBe ? [] : [{ kind: 'stack-in-other-files', files: files.length }]
}
