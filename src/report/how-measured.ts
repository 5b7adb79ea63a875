import { createHash } from 'node:crypto'
import { compileGlob, type Effort, matchesGlob } from '../intake/measurement/glob.ts'
import type { HowMeasured } from './report.ts'

/** A changed file with what tells its contents apart. */
export interface MeasuringFile {
  readonly path: string
  readonly status: string
  /** The name that a renamed file had. */
  readonly previousPath?: string
  /** The id of its contents; absent: GitHub does not say. */
  readonly blob?: string
}

export interface MeasuredHead {
  /** Full commit id. */
  readonly head: string
  readonly changed: readonly MeasuringFile[]
  /** There may be more changed files than these. */
  readonly isCut: boolean
  /** `measuredBy` of the repository's file. */
  readonly measuredBy: readonly string[]
  /** Folders of the actions that the measuring workflows use by path; empty of one in the root. */
  readonly actions: readonly string[]
}

/** GitHub reads workflows from the first folder alone; actions by path may stand anywhere, and most stand in the second. */
const ALWAYS = ['.github/workflows/', '.github/actions/']

/** Files that a report names; the comment and the check run name fewer. */
const NAMED = 10

/** As for the paths of a report; a pattern that would take longer counts as one that fits. */
const MOST_STEPS = 20_000_000

/**
 * The changed files that decide how a head is measured; null: none does. Of more files than GitHub lists any may be one, and an
 * acceptance is of that head alone.
 *
 * In it: `.github/workflows/perf.yml`, `bench/run.js` beside `bench/action.yml` where a workflow has `uses: ./bench`. Not:
 * `src/a.cpp`; a file of an action that no measuring workflow uses.
 */
export function howMeasured({ head, changed, isCut, measuredBy, actions }: MeasuredHead): HowMeasured | null {
  const globs = measuredBy.map(compileGlob)
  const effort: Effort = { steps: 0 }
  const fits = (path: string) =>
    ALWAYS.some((folder) => path.startsWith(folder)) ||
    actions.some((folder) => isOfAction(path, folder)) ||
    globs.some((glob) => effort.steps >= MOST_STEPS || matchesGlob(glob, path.split('/'), effort))
  const found = changed
    .filter(({ path, previousPath }) => fits(path) || (previousPath !== undefined && fits(previousPath)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  if (found.length === 0 && !isCut) return null
  const contents = found.map(({ path, status, previousPath = null, blob = head }) => [path, status, previousPath, blob])
  return {
    files: found.slice(0, NAMED).map(({ path }) => path),
    more: Math.max(0, found.length - NAMED),
    isCut,
    version: createHash('sha256')
      .update(JSON.stringify(isCut ? [head] : contents))
      .digest('hex'),
  }
}

/** Of an action in the root its own file alone: else every file of the repository would be one of it. */
function isOfAction(path: string, folder: string): boolean {
  return folder === '' ? path === 'action.yml' || path === 'action.yaml' : path.startsWith(`${folder}/`)
}

/**
 * What a workflow or an action uses by path, as paths from the root of the repository: folders of actions, and workflows. Where a checkout
 * goes into a folder, what stands below that one is meant as well without it.
 *
 * `uses: ./bench`, `uses: "./.github/workflows/measure.yml"`; of `uses: ./head/bench` beside `path: head` also `bench`.
 */
export function usedByPath(text: string): readonly string[] {
  const used = [...text.matchAll(/\buses["']?\s*:\s*["']?\.\/([^"'\s#,}]*)/g)].map(([, path]) => normal(path!))
  const checkouts = [...text.matchAll(/\bpath["']?\s*:\s*["']?(?:\.\/)?([^"'\s#,}]+)/g)].map(([, path]) =>
    normal(path!),
  )
  const inside = new Set(checkouts)
  const all = used.flatMap((path) => {
    const parts = path.split('/')
    const below = parts.flatMap((_, index) =>
      inside.has(parts.slice(0, index).join('/')) ? [parts.slice(index).join('/')] : [],
    )
    return inside.has(path) ? [path, ...below, ''] : [path, ...below]
  })
  return [...new Set(all)]
}

function normal(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
