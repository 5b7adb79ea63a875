import type { ReadWarning, ReadWarningCode } from './run.ts'

/** Warnings told one by one for each kind and file: one broken file can give a million of them. */
const SHOWN_PER_FILE = 20
const LONGEST_TEXT = 300

/** Collects warnings, of which a hostile source must not be able to make too many. */
export class Warnings {
  readonly #limit: number
  readonly #list: ReadWarning[] = []
  readonly #perFile = new Map<string, { code: ReadWarningCode; file: string; more: number; shown: number }>()
  #dropped = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** `line` is 1-based; null for the file as a whole. */
  add(code: ReadWarningCode, file: string, line: number | null, message: string): void {
    const key = `${code} ${file}`
    let count = this.#perFile.get(key)
    if (count === undefined) {
      if (this.#perFile.size >= this.#limit) {
        this.#dropped += 1
        return
      }
      count = { code, file: shorten(file), more: 0, shown: 0 }
      this.#perFile.set(key, count)
    }
    if (count.shown >= SHOWN_PER_FILE || this.#list.length >= this.#limit) {
      count.more += 1
      return
    }
    count.shown += 1
    this.#list.push({
      code,
      where: line === null ? count.file : `${count.file}:${line}`,
      message: shorten(message),
    })
  }

  /** All warnings in the order they came, then one per file and kind that had more. */
  list(): readonly ReadWarning[] {
    const list = [...this.#list]
    for (const { code, file, more } of this.#perFile.values()) {
      if (more > 0) list.push({ code, where: file, message: `${more.toLocaleString('en')} more like this` })
    }
    if (this.#dropped > 0) {
      list.push({
        code: 'limit-reached',
        where: '',
        message: `${this.#dropped.toLocaleString('en')} more warnings in other files`,
      })
    }
    return list
  }
}

function shorten(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`
}
