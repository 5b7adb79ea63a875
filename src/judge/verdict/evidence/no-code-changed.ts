import type { InertPaths } from '../../bisect/binary-paths.ts'
import type { NoCodeChanged } from './evidence.ts'

/**
 * The pull request changes nothing that reaches the binary: only documentation, tests and the like. `inertPaths` says
 * which paths do not (`UNBUILT_PATHS` of `judge/bisect/binary-paths.ts`: the CI's own files may change the compiler, and
 * excuse nothing); `changedFiles` holds the earlier names of renamed files too, and is null where not all of them are
 * known.
 *
 * Triggers: `docs/en/index.md` and `tests/queries/0_stateless/03999_a.sql`. Does not: the same and `src/Common/Arena.h`, or
 * and `.github/workflows/build.yml`; files that nobody could list; none at all, as long as GitHub has not compared the
 * branches.
 */
export function noCodeChanged(changedFiles: readonly string[] | null, inertPaths: InertPaths): NoCodeChanged | null {
  if (changedFiles === null || changedFiles.length === 0) return null
  if (changedFiles.some((path) => inertPaths.canReachBinary(path))) return null
  return { kind: 'no-code-changed', files: changedFiles.length }
}
