import type { ChangedFile } from '../judge/ledger/failure.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'

/** GitHub lists no more files of one pull request, whatever page is asked for. */
export const MOST_CHANGED_FILES = 3000

const PER_PAGE = 100

/**
 * Characters of diffs that are kept of one pull request. GitHub gives none of a file with more than some thousand lines; a
 * large change of ClickHouse, 200 files, has half a million characters.
 */
export const MOST_PATCH_TEXT = 4 * 1024 * 1024

export interface ListedFile extends ChangedFile {
  /** The name that a renamed file had. */
  readonly previousPath?: string
  /** The id of its contents, of a removed file those that it had; absent: GitHub gives none. */
  readonly blob?: string
  /** Its unified diff, hunks only; absent where GitHub gives none or it did not fit into `MOST_PATCH_TEXT`. */
  readonly patch?: string
}

export interface ChangedFiles {
  readonly files: readonly ListedFile[]
  /** True where there may be more than GitHub lists: that a file is not among these says nothing then. */
  readonly isCut: boolean
}

/** Every path that they touch, the earlier names of renamed files among them; null where there may be more. */
export function pathsOf({ files, isCut }: ChangedFiles): readonly string[] | null {
  if (isCut) return null
  return files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [path, previousPath]))
}

/** The files that a pull request changes since its merge base, by their present names, in the order of GitHub. */
export async function listChangedFiles(
  octokit: Octokit,
  ref: RepositoryRef,
  pullRequestNumber: number,
): Promise<ChangedFiles> {
  let pages = 0
  let room = MOST_PATCH_TEXT
  const files = await octokit.paginate(
    octokit.rest.pulls.listFiles,
    { ...ref, pull_number: pullRequestNumber, per_page: PER_PAGE },
    ({ data }, done) => {
      pages += 1
      if (pages >= MOST_CHANGED_FILES / PER_PAGE) done()
      return data.map(({ filename, status, previous_filename: previousPath, sha, patch }): ListedFile => {
        const isKept = patch !== undefined && patch.length <= room
        if (isKept) room -= patch.length
        return {
          path: filename,
          status,
          ...(previousPath !== undefined && { previousPath }),
          ...(sha !== null && { blob: sha }),
          ...(isKept && { patch }),
        }
      })
    },
  )
  return { files, isCut: files.length >= MOST_CHANGED_FILES }
}
