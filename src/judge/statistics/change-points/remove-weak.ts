import { join, type Piece, pieceOf, pieceTest, relativeStep } from './piece.ts'

/** A candidate that is left. */
export interface StrongPoint {
  /** Position of the first point of the new level. */
  readonly index: number
  /** The p-value of the t-test between the two levels. */
  readonly pValue: number
}

/** A candidate as it was judged last. */
interface Judged {
  /** The candidate's position among all candidates. */
  readonly place: number
  readonly pValue: number
  readonly step: number
}

/**
 * The candidates that are left when the weak ones are gone: one after the other, that with the largest p while that is
 * not below `maxP`, else that with the smallest relative step while that is not above `minStep`. Each removal joins two
 * pieces. `indexes` are the positions of the candidates, ascending, none of them 0.
 *
 * As in Apache Otava, whose asserted results come of it, the two candidates after a removed one are tested again on their
 * pieces, and the one before keeps its test, though its right piece has grown.
 *
 * Time `n + k log k` for k candidates.
 */
export function removeWeak(
  values: ArrayLike<number>,
  indexes: readonly number[],
  maxP: number,
  minStep: number,
): StrongPoint[] {
  const count = indexes.length
  // pieces[i] ends at candidate i, pieces[i + 1] starts there; of joined pieces the first place holds all.
  const pieces = [0, ...indexes].map((from, i) => pieceOf(values, from, indexes[i] ?? values.length))
  const before = Int32Array.from(indexes, (_, place) => place - 1)
  const after = Int32Array.from(indexes, (_, place) => place + 1)
  const judged: (Judged | undefined)[] = []
  const leastCertain = new Heap<Judged>(isLessCertain)
  const smallest = new Heap<Judged>((a, b) => a.step < b.step || (a.step === b.step && a.place < b.place))
  const set = (place: number, judgement: Judged) => {
    judged[place] = judgement
    leastCertain.push(judgement)
    smallest.push(judgement)
  }
  /** The first that still stands as it was judged. */
  const first = (heap: Heap<Judged>): Judged | undefined => {
    for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
      if (judged[top.place] === top) return top
      heap.pop()
    }
    return undefined
  }

  for (let place = 0; place < count; place += 1) set(place, judge(place, pieces[place]!, pieces[place + 1]!))
  for (;;) {
    let weakest = first(leastCertain)
    if (weakest === undefined) break
    if (weakest.pValue < maxP) {
      weakest = first(smallest)!
      if (weakest.step > minStep) break
    }
    const { place } = weakest
    const [previous, next] = [before[place]!, after[place]!]
    judged[place] = undefined
    const joined = join(pieces[previous + 1]!, pieces[place + 1]!)
    pieces[previous + 1] = joined
    if (previous >= 0) after[previous] = next
    if (next === count) continue
    before[next] = previous
    for (const again of [next, after[next]!]) {
      if (again < count) set(again, judge(again, pieces[before[again]! + 1]!, pieces[again + 1]!))
    }
  }
  return judged.flatMap((left) => (left === undefined ? [] : [{ index: indexes[left.place]!, pValue: left.pValue }]))
}

function judge(place: number, left: Piece, right: Piece): Judged {
  return { place, pValue: pieceTest(left, right), step: relativeStep(left, right) }
}

/** The candidate with the larger p; the first of two with the same. */
function isLessCertain(a: Judged, b: Judged): boolean {
  return a.pValue === b.pValue ? a.place < b.place : a.pValue > b.pValue
}

/** A binary heap: gives the first of its items, in the logarithm of their number. */
export class Heap<Item> {
  readonly #items: Item[] = []
  readonly #isBefore: (a: Item, b: Item) => boolean

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  /** An item that no other is before. */
  peek(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let place = items.length
    while (place > 0) {
      const parent = (place - 1) >>> 1
      if (!this.#isBefore(item, items[parent]!)) break
      items[place] = items[parent]!
      place = parent
    }
    items[place] = item
  }

  /** Removes what `peek` gives. */
  pop(): void {
    const items = this.#items
    const item = items.pop()
    if (item === undefined || items.length === 0) return
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child += 1
      if (!this.#isBefore(items[child]!, item)) break
      items[place] = items[child]!
      place = child
    }
    items[place] = item
  }
}
