import type { ChangedFunction, ChangedFunctions } from '../../profile/changed-functions.ts'
import { isSameFunction } from '../../profile/function-name.ts'
import type { GrownFunctions, ProfiledFunction } from '../../profile/grown-functions.ts'
import { isHeader } from '../../profile/source-language.ts'
import { isSameFile, mayBeFile } from '../../profile/source-path.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

/**
 * Functions that the pull request changes grew in the profile, such as `Aggregator::executeImpl` from 31% to 44%. Speaks
 * for the pull request. Where only the file of each is changed, and not the function, it is said and decides nothing.
 */
export interface OnPath {
  readonly kind: 'on-path'
  readonly architecture: string | null
  /** The functions, first those that grew most. */
  readonly functions: readonly GrownFunction[]
}

export interface GrownFunction {
  /** The function's name in the profile, without parameters and template arguments; may be any text. */
  readonly name: string
  /** The changed file that ties it to the pull request, as the repository names it. */
  readonly file: string
  /** The file is touched, and not the function as far as the diff shows: it decides no verdict. Absent: it is changed. */
  readonly onlyFile?: true
  /** Shares of all stack samples of the side, with everything that it calls; fractions. */
  readonly oldShare: number
  readonly newShare: number
}

/**
 * The functions that grew are none that the pull request changes; all that it changes is known, and has frames in other
 * stacks. Doubt.
 */
export interface OffPath {
  readonly kind: 'off-path'
  readonly architecture: string | null
  /** How many functions grew by more than chance, and how many changed functions they were held against. */
  readonly grown: number
  readonly changed: number
}

/**
 * Functions that are listed. More of them would be a pull request that changes all that the query does, and the first ones
 * say as much.
 */
export const MOST_ON_PATH = 20

/**
 * Functions whose share of the stack samples grew by more than chance, and by `FEWEST_POINTS_GROWN` at least, are such as
 * the pull request changes, by name (`isSameFunction`), or their frames name a file that it touches. A frame that names
 * another file is not the changed function, whatever its name. `profile` and `changed` null: there is none, or nobody could
 * list the files. Only of what got slower: what grew explains no gain.
 *
 * Triggers: `DB::Aggregator::executeImpl` from 31% to 44% of 1,000 stack samples a side, and a hunk in
 * `void Aggregator::executeImpl(…)`. Does not: the same with a hunk in `void Aggregator::prepare(…)`; from 31% to 36%,
 * which is chance; `DB::Pipeline::execute` and a hunk in a function that is only known as `execute`; `process_batch` of
 * `src/b.py` and a hunk in that of `src/a.py`.
 */
export function onPath(
  result: ClassifiedQuery,
  profile: GrownFunctions | null,
  changed: ChangedFunctions | null,
): OnPath | null {
  if (!isSlower(result) || profile === null || changed === null) return null
  const namesakes = namesakesIn(changed)
  const functions = profile.grown.flatMap((frame): GrownFunction[] => {
    const { name, oldShare, newShare } = frame
    const file = fileOf(frame, namesakes(frame))
    if (file !== null) return [{ name, file, oldShare, newShare }]
    const touched = touchedFileOf(frame, changed)
    return touched === null ? [] : [{ name, file: touched, oldShare, newShare, onlyFile: true }]
  })
  if (functions.length === 0) return null
  return { kind: 'on-path', architecture: result.architecture, functions: functions.slice(0, MOST_ON_PATH) }
}

/**
 * Something grew by more than chance, and neither it nor anything in one stack with it is what the pull request changes. Said
 * only of what was seen: enough stack samples on both sides, every changed file listed and with its diff, every changed line
 * in a known function, and each of these functions in the new build's profile, in other stacks. A function without a frame
 * may be compiled into the one that grew. So may what is in a header, a template, a macro or `inline`, in no class, in a
 * class that has grown, in the file of such a class (by its name), or in a language that does so freely: then nothing is
 * said. It asks for a rerun, and excuses nothing.
 *
 * Triggers: `DB::Aggregator::executeImpl` from 31% to 44% of 1,000 stack samples a side, called by `DB::executeQuery`;
 * the only change is in `BackupWriter::copyFile` in a `.cpp`, which a background thread runs. Does not: the same with a
 * change in `src/Common/Arena.h`; with a change in `Aggregator::prepare`; where no stack has `BackupWriter::copyFile`; with
 * 80 stack samples; nothing that grew.
 */
export function offPath(
  result: ClassifiedQuery,
  profile: GrownFunctions | null,
  changed: ChangedFunctions | null,
): OffPath | null {
  if (!isSlower(result) || profile === null || changed === null) return null
  if (!profile.isEnough || profile.grown.length === 0 || !isAllKnown(changed)) return null
  const namesakes = namesakesIn(changed)
  const inFiles = ({ files }: ProfiledFunction) =>
    files.some((one) => changed.files.some((file) => isSameFile(one, file)))
  if (profile.near.some((frame) => namesakes(frame).length > 0 || inFiles(frame))) return null
  const own = new Set(changed.functions.flatMap(({ name, file }) => [partsOf(name).at(-2), stemOf(file)]))
  const isRelated = ({ parts }: ProfiledFunction) => parts?.some((part) => own.has(part)) ?? false
  if (profile.near.some(isRelated)) return null
  const seen = new Set<ChangedFunction>()
  for (const frame of profile.seen) {
    for (const one of namesakes(frame)) if (fileOf(frame, [one]) !== null) seen.add(one)
  }
  if (!changed.functions.every((one) => seen.has(one))) return null
  return {
    kind: 'off-path',
    architecture: result.architecture,
    grown: profile.grown.length,
    changed: changed.functions.length,
  }
}

function isSlower({ direction }: ClassifiedQuery): boolean {
  return direction === 'slower'
}

function isAllKnown({ functions, unknownHunks, unknownFiles, inlinable, isCut }: ChangedFunctions): boolean {
  const isComplete = !isCut && unknownHunks === 0 && unknownFiles.length === 0 && inlinable.length === 0
  // without a class a function may be compiled into any other one of its file
  return isComplete && functions.length > 0 && functions.every(({ name }) => name.includes('::'))
}

/** Gives the changed functions that a frame may be one of by its name. */
function namesakesIn({ functions }: ChangedFunctions): (frame: ProfiledFunction) => readonly ChangedFunction[] {
  const byLastPart = Map.groupBy(
    functions.map((one) => ({ one, parts: partsOf(one.name) })),
    ({ parts }) => parts.at(-1)!,
  )
  return ({ parts }) => {
    if (parts === null) return []
    const candidates = byLastPart.get(parts.at(-1)!) ?? []
    return candidates.filter((candidate) => isSameFunction(candidate.parts, parts)).map(({ one }) => one)
  }
}

/**
 * The file of that one of the namesakes which the frame is; null where the frame says that it is none of them. Frames of one
 * name are one function, so that one of another file may be what grew. A header says nothing: of a function that something
 * was compiled into, a frame may name the file of that.
 */
function fileOf({ files }: ProfiledFunction, namesakes: readonly ChangedFunction[]): string | null {
  const isOf = (ofFrame: string, { file, earlierFile }: ChangedFunction) =>
    mayBeFile(ofFrame, file) || (earlierFile !== undefined && mayBeFile(ofFrame, earlierFile))
  if (!files.every((one) => isHeader(one) || namesakes.some((namesake) => isOf(one, namesake)))) return null
  const named = namesakes.find((namesake) => files.some((one) => isOf(one, namesake)))
  return (named ?? namesakes[0])?.file ?? null
}

/** A touched file that the frame names: a header, or its own, which is then all that it names beside headers. */
function touchedFileOf({ files: ofFrame }: ProfiledFunction, { files }: ChangedFunctions): string | null {
  const touched = (one: string) => files.find((file) => isSameFile(one, file)) ?? null
  const isOwn = ofFrame.every((one) => isHeader(one) || touched(one) !== null)
  const asked = isOwn ? ofFrame : ofFrame.filter(isHeader)
  return asked.map(touched).find((file) => file !== null) ?? null
}

/** `Aggregator` of `src/Interpreters/Aggregator.cpp`. */
function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/s, '')
}

/** `functionName` joins the parts so; a sign of an operator has no colon, a type that one converts to may. */
function partsOf(name: string): readonly string[] {
  const operator = name.indexOf('operator ')
  if (operator === -1) return name.split('::')
  const before = name.slice(0, operator).split('::').slice(0, -1)
  return [...before, name.slice(operator)]
}
