import type { Side } from './run.ts'

/** Which side a file’s name says that it is of. */

const SIDES: Readonly<Record<string, Side>> = { old: 'old', base: 'old', new: 'new', head: 'new' }
/** Words that name a side inside of a file. */
const WORDS: Readonly<Record<string, Side>> = { ...SIDES, before: 'old', after: 'new' }

/** `after` is new; null: the word names no side. */
export function sideOfWord(word: string): Side | null {
  const name = word.toLowerCase()
  return Object.hasOwn(WORDS, name) ? WORDS[name]! : null
}

/**
 * What a file's name says beside its side and its turn; null: nothing. `login-old.json`, `login-2.json` are `login`, `new.json` and
 * `3.json` nothing.
 */
export function nameWithoutSide(fileName: string): string | null {
  const name = fileName
    .replace(/(?:\.[a-z\d]{1,12}){1,3}$/i, '')
    .replaceAll(/(?:^|(?<=[-_.]))(?:old|base|new|head|\d{1,9})(?=[-_.]|$)/gi, '')
    .replaceAll(/^[-_.]+|[-_.]+$|([-_.])[-_.]+/g, '$1')
  return name === '' ? null : name
}

/**
 * The side that a path names: by the end of the file's name, before its endings, else by the innermost folder.
 *
 * `run-2/sort-base.txt` and `old/sort.json` are old; `sort-new.perf.csv` and `new.txt` are new; `newer/renew.txt` is neither.
 */
export function sideOfName(path: string): Side | null {
  const [fileName = '', ...folders] = path.split('/').toReversed()
  const ofFile = /(?:^|[-_.])(old|base|new|head)(?:\.[a-z\d]{1,12}){0,3}$/i.exec(fileName)?.[1]
  const name = ofFile ?? folders.find((folder) => Object.hasOwn(SIDES, folder.toLowerCase()))
  return name === undefined ? null : SIDES[name.toLowerCase()]!
}

/** Equal for files of one thing of both sides: `old/sort.json` and `new/sort.json`, `sort-old.txt` and `sort-new.txt`. */
export function withoutSideWords(path: string): string {
  return path.replaceAll(/(?:^|(?<=[-_./]))(?:old|base|new|head)(?=[-_./]|$)/gi, '')
}
