/** A binary heap: gives the first of its items, in the logarithm of their number. */
export class Heap<Item> {
  readonly #items: Item[] = []
  readonly #isBefore: (a: Item, b: Item) => boolean

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore
  }

  /** One that no other is before. */
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
