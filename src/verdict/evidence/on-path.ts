import type { ChangedFunctions } from '../../profile/changed-functions.ts'
import type { GrownFunctions, ProfiledFunction } from '../../profile/grown-functions.ts'
import { isSameFunction } from '../../profile/same-function.ts'
import { isSameFile } from '../../profile/source-path.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { GrownFunction, OffPath, OnPath } from './evidence.ts'

/**
 * Functions that are listed. More of them would be a pull request that changes all that the query does, and the first ones
 * say as much.
 */
export const MOST_ON_PATH = 20

/**
 * Functions whose share of the stack samples grew by more than chance, and by `FEWEST_POINTS_GROWN` at least, are such as
 * the pull request changes, by name (`isSameFunction`), or their frames name a file that it touches. `profile` and `changed`
 * null: there is none, or nobody could list the files. Only of what got slower: what grew explains no gain.
 *
 * Triggers: `DB::Aggregator::executeImpl` from 31 % to 44 % of 1,000 stack samples a side, and a hunk in
 * `void Aggregator::executeImpl(…)`. Does not: the same with a hunk in `void Aggregator::prepare(…)`; from 31 % to 36 %,
 * which is chance; `DB::Pipeline::execute` and a hunk in a function that is only known as `execute`.
 */
export function onPath(
  result: ClassifiedQuery,
  profile: GrownFunctions | null,
  changed: ChangedFunctions | null,
): OnPath | null {
  if (!isSlower(result) || profile === null || changed === null) return null
  const { byName, byFile } = matchers(changed)
  const functions = profile.grown.flatMap((frame): GrownFunction[] => {
    const { name, oldShare, newShare } = frame
    const file = byName(frame)
    if (file !== null) return [{ name, file, oldShare, newShare }]
    const touched = byFile(frame)
    return touched === null ? [] : [{ name, file: touched, oldShare, newShare, onlyFile: true }]
  })
  if (functions.length === 0) return null
  return { kind: 'on-path', architecture: result.architecture, functions: functions.slice(0, MOST_ON_PATH) }
}

/**
 * Something grew by more than chance, and neither it nor anything in one stack with it is what the pull request changes. Said
 * only where all of that is known: enough stack samples on both sides, every changed file listed and with its diff, every
 * changed line in a known function, and none in what may be compiled into other functions: a header, a template, a macro,
 * `inline`, a function that is in no class, a method of a class that has grown. It asks for a rerun, and excuses nothing.
 *
 * Triggers: `DB::Aggregator::executeImpl` from 31 % to 44 % of 1,000 stack samples a side, called by `DB::executeQuery`, and
 * the only change is in `BackupWriter::copyFile` in a `.cpp`. Does not: the same with a change in `src/Common/Arena.h`; with
 * a change in `Aggregator::prepare`; with 80 stack samples; nothing that grew.
 */
export function offPath(
  result: ClassifiedQuery,
  profile: GrownFunctions | null,
  changed: ChangedFunctions | null,
): OffPath | null {
  if (!isSlower(result) || profile === null || changed === null) return null
  if (!profile.isEnough || profile.grown.length === 0 || !isAllKnown(changed)) return null
  const { byName, byFile } = matchers(changed)
  if (profile.near.some((frame) => byName(frame) !== null || byFile(frame) !== null)) return null
  const classes = new Set(changed.functions.map(({ name }) => name.split('::').at(-2)))
  const isRelated = ({ parts }: ProfiledFunction) => parts?.slice(0, -1).some((part) => classes.has(part)) ?? false
  if (profile.near.some(isRelated)) return null
  return {
    kind: 'off-path',
    architecture: result.architecture,
    grown: profile.grown.length,
    changed: changed.functions.length,
  }
}

function isSlower({ difference }: ClassifiedQuery): boolean {
  return difference !== null && difference > 0
}

function isAllKnown({ functions, unknownHunks, unknownFiles, inlinable, isCut }: ChangedFunctions): boolean {
  const isComplete = !isCut && unknownHunks === 0 && unknownFiles.length === 0 && inlinable.length === 0
  // without a class a function may be compiled into any other one of its file
  return isComplete && functions.length > 0 && functions.every(({ name }) => name.includes('::'))
}

/** Each gives the changed file that a frame is tied to, or null. */
function matchers({ functions, files }: ChangedFunctions): {
  readonly byName: (frame: ProfiledFunction) => string | null
  readonly byFile: (frame: ProfiledFunction) => string | null
} {
  const byLastPart = Map.groupBy(
    functions.map(({ name, file }) => ({ parts: partsOf(name), file })),
    ({ parts }) => parts.at(-1)!,
  )
  return {
    byName: ({ parts }) => {
      if (parts === null) return null
      const candidates = byLastPart.get(parts.at(-1)!) ?? []
      return candidates.find((one) => isSameFunction(one.parts, parts))?.file ?? null
    },
    byFile: (frame) => files.find((file) => frame.files.some((one) => isSameFile(one, file))) ?? null,
  }
}

/** `functionName` joins the parts so; a sign of an operator has no colon, a type that one converts to may. */
function partsOf(name: string): readonly string[] {
  const operator = name.indexOf('operator ')
  if (operator === -1) return name.split('::')
  const before = name.slice(0, operator).split('::').slice(0, -1)
  return [...before, name.slice(operator)]
}
