import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { StackCount } from '../../../intake/measurement/run.ts'
import type { Unit } from '../../../intake/measurement/trace-type.ts'
import { type FrameChange, frameChanges, largestChanges } from '../../../judge/profile/frame-changes.ts'
import type { StackDifference } from '../../../judge/profile/stack-difference.ts'
import { type StackRefusal, StackTree } from '../../../judge/profile/stack-tree.ts'
import { type ProfileWords, profileWords } from '../../../judge/profile/words.ts'
import { askedByAll } from '../../../store/page-asking.ts'

/** A person turns a flame graph around, compares shares, and takes the file. Milliseconds. */
const REMEMBERED_MS = 60_000

/** The limit of all profiles together. The largest that is stored, 2 MiB of stacks a side, takes some 20 MB. */
const MOST_BYTES = 64 * 2 ** 20

/** The number of profiles that are added up at once: each holds what it was read from until then. */
const MOST_AT_ONCE = 2

/** Stacks that are added in one go, some 15 ms: then others have their turn. */
const STACKS_AT_ONCE = 4_000

/** Frames of the table: some five screens of a phone. */
const MOST_FRAMES = 40

/** Two profiles in one, with what is said of them. */
export interface AddedProfile {
  readonly difference: StackDifference
  readonly words: ProfileWords
  /** With what they call; the largest change of a share first. */
  readonly frames: readonly FrameChange[]
  /** Stacks that were not taken, because there was no more room for their frames. */
  readonly refused: number
  /** A drawing of it, kept with it. `of`: what was asked for, which decides what is drawn. */
  readonly drawing: (of: string, draw: () => string) => string
}

export interface ProfileStacks {
  readonly old: readonly StackCount[]
  readonly new: readonly StackCount[]
  readonly unit: Unit
}

export type RememberProfile = (key: string, read: () => Promise<ProfileStacks | null>) => Promise<AddedProfile | null>

interface Kept {
  readonly profile: AddedProfile
  readonly drawings: Map<string, string>
}

/**
 * Profiles that were asked for a moment ago, added up. `key` says which, and of which run. One that is being added up is
 * waited for, and so is everybody where there are enough of them. `now`: milliseconds.
 */
export function rememberedDifferences(now: () => number, mostBytes = MOST_BYTES): RememberProfile {
  const kept = new LRUCache<string, Kept>({
    maxSize: mostBytes,
    sizeCalculation: ({ profile, drawings }) =>
      [...drawings.values()].reduce((sum, drawn) => sum + 2 * drawn.length, bytesOf(profile)),
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    // A drawing that is kept with a profile does not make the profile young again.
    noUpdateTTL: true,
    perf: { now },
  })
  const adding = new Map<string, Promise<AddedProfile | null>>()
  const inTurn = pLimit(MOST_AT_ONCE)
  const remember = (key: string, profile: Omit<AddedProfile, 'drawing'>): AddedProfile => {
    const drawings = new Map<string, string>()
    const drawing: AddedProfile['drawing'] = (wanted, draw) => {
      const known = drawings.get(wanted)
      if (known !== undefined) return known
      const drawn = draw()
      const size = kept.info(key)?.size ?? Infinity
      if (size + 2 * drawn.length <= mostBytes) {
        drawings.set(wanted, drawn)
        kept.set(key, { profile: whole, drawings })
      }
      return drawn
    }
    const whole = { ...profile, drawing }
    kept.set(key, { profile: whole, drawings })
    return whole
  }
  return async (key, read) => {
    const known = kept.get(key)
    if (known !== undefined) return known.profile
    const pending = adding.get(key)
    if (pending !== undefined) return await pending
    const question = inTurn(async () => {
      const stacks = await askedByAll(read)
      return stacks === null ? null : remember(key, await added(stacks))
    })
    adding.set(key, question)
    try {
      return await question
    } finally {
      adding.delete(key)
    }
  }
}

async function added({ old, new: fresh, unit }: ProfileStacks): Promise<Omit<AddedProfile, 'drawing'>> {
  const tree = new StackTree()
  let refused = 0
  const take = (reason: StackRefusal | null) => {
    if (reason !== null) refused += 1
  }
  for (const [side, stacks] of [
    ['old', old],
    ['new', fresh],
  ] as const) {
    for (let from = 0; from < stacks.length; from += STACKS_AT_ONCE) {
      await setImmediate()
      for (const { stack, count } of stacks.slice(from, from + STACKS_AT_ONCE)) take(tree.add(stack, side, count))
    }
  }
  await setImmediate()
  const difference = tree.finish()
  await setImmediate()
  const changes = frameChanges(difference)
  const frames = largestChanges(changes, 'total', MOST_FRAMES)
  return { difference, words: profileWords(difference, unit, changes), frames, refused }
}

/** A node has parent, frame, end, and two numbers a side; a frame takes this beside its characters. */
const BYTES_OF_NODE = 41
const BYTES_OF_FRAME = 48

/** About, and rather too many. */
function bytesOf({ difference }: Pick<AddedProfile, 'difference'>): number {
  const text = difference.frames.reduce((sum, frame) => sum + frame.length, 0)
  return difference.parent.length * BYTES_OF_NODE + difference.frames.length * BYTES_OF_FRAME + 2 * text
}
