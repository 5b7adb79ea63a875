import { detached } from '../table-row.ts'

/** Texts that are kept at most, and characters of one: together 16 MB. */
const MOST_TEXTS = 4096
const LONGEST_TEXT = 2000

/** What was computed of texts that come again and again. All are forgotten when there are too many. */
export class RecentTexts<Value> {
  #known = new Map<string, Value>()

  get(text: string): Value | undefined {
    return this.#known.get(text)
  }

  set(text: string, value: Value): void {
    if (text.length > LONGEST_TEXT) return
    if (this.#known.size === MOST_TEXTS) this.#known = new Map()
    this.#known.set(detached(text), value)
  }
}
