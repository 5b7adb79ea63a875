import { extensionOf, isSourcePath } from './source-path.ts'

/** The place that a frame names, and the rest of its text: the name of its function. */
export interface FramePlace {
  readonly text: string
  /** The source file; null where the frame names none, or several. */
  readonly file: string | null
  readonly line: number | null
}

/** How a frame writes its place: `src/A.cpp:12#f`, `f (src/a.py:12)`, `a.py:f:12`. */
type Form = 'before-hash' | 'in-parentheses' | 'around'

interface Placed extends FramePlace {
  /** Null: no place, or nothing but a place. */
  readonly form: Form | null
}

/** `src/A.cpp:12#f`, `f (src/a.py:12)`, `a.py:f`, `a.py:f:12`, `src/A.cpp:12`: where it is, and what is left. */
export function placeOf(frame: string): FramePlace {
  return placed(frame)
}

function placed(frame: string): Placed {
  const hash = frame.indexOf('#')
  if (hash !== -1) {
    const place = placesOf(frame.slice(0, hash))
    if (place !== null) return { ...place, text: frame.slice(hash + 1).trim(), form: 'before-hash' }
  }
  if (frame.endsWith(')')) {
    const open = frame.lastIndexOf('(')
    const place = pathAndLine(frame.slice(open + 1, -1))
    if (place !== null) return { ...place, text: frame.slice(0, open).trim(), form: 'in-parentheses' }
  }
  const whole = pathAndLine(frame)
  if (whole !== null && whole.line !== null) return { ...whole, text: '', form: null }
  const colon = frame.indexOf(':')
  if (colon > 0 && frame[colon + 1] !== ':' && isSourcePath(frame.slice(0, colon))) {
    const last = frame.lastIndexOf(':')
    const line = last > colon ? lineNumber(frame.slice(last + 1)) : null
    const text = frame.slice(colon + 1, line === null ? undefined : last)
    return { file: frame.slice(0, colon), line, text, form: 'around' }
  }
  return { text: frame, file: null, line: null, form: null }
}

type Place = Omit<FramePlace, 'text'>

/** The place of a frame, or the places of one that `FrameSymbols` has listed. */
function placesOf(text: string): Place | null {
  if (!text.includes(',')) return pathAndLine(text)
  const listed = text.split(',')
  const all = listed.at(-1) === MORE ? listed.slice(0, -1) : listed
  return all.every((one) => pathAndLine(one) !== null) ? { file: null, line: null } : null
}

function pathAndLine(text: string): Place | null {
  const colon = text.lastIndexOf(':')
  const line = colon === -1 ? null : lineNumber(text.slice(colon + 1))
  const file = line === null ? text : text.slice(0, colon)
  return isSourcePath(file) ? { file, line } : null
}

/** The first line of a range. */
function lineNumber(text: string): number | null {
  const found = /^(\d{1,9})(?:-\d{1,9})?$/.exec(text)
  return found === null ? null : Number(found[1])
}

/** Endings of what is compiled by itself; a header is compiled into others. */
const TRANSLATION_UNITS: ReadonlySet<string> = new Set(['c', 'cc', 'cpp', 'cxx', 'c++', 'cppm', 'cu', 'm', 'mm'])

/** Files that a name lists; a symbol in more of them is one of a header, and its list ends in `…`. */
const MOST_FILES = 3
const MORE = '…'

type Lines = { readonly from: number; readonly to: number } | null

interface PlacesOfSymbol {
  readonly form: Form
  readonly text: string
  /** The first and the last line that a frame names, by file; null where none names one. */
  readonly files: Map<string, Lines>
}

/**
 * Frames are the same by their symbol: a line that moved makes no new function. `A.cpp:120#DB::f`, `A.cpp:121#DB::f` and
 * `DB::f` are one frame, named `A.cpp:120-121#DB::f`. A symbol after `#` is a linker's: lines of headers within it are
 * code that was compiled into it. Static functions of two source files, `A.cpp:3#f` and `B.cpp:7#f`, have the same symbol and
 * are two; `f` without a place is the first of them. To `run (a.py:12)` and `a.py:run:12` the file belongs, since every file
 * may have a `run` of its own.
 */
export class FrameSymbols {
  readonly #places = new Map<string, PlacesOfSymbol>()
  /**
   * The first source file that was seen to have a symbol, by symbol. Without folders: two builds may stand in different
   * ones.
   */
  readonly #sources = new Map<string, string>()

  /** The text by which all frames of the symbol are known; the frame itself where it names no place or no symbol. */
  keyOf(frame: string): string {
    const { form, text, file, line } = placed(frame)
    if (form === null || file === null || text === '') return frame
    const key = form === 'before-hash' ? this.#keyOfSymbol(text, file) : `${form}\0${file}\0${text}`
    const places = this.#places.get(key) ?? { form, text, files: new Map<string, Lines>() }
    this.#places.set(key, places)
    const { files } = places
    if (files.has(file) || files.size <= MOST_FILES) files.set(file, widened(files.get(file) ?? null, line))
    return key
  }

  #keyOfSymbol(symbol: string, file: string): string {
    if (!TRANSLATION_UNITS.has(extensionOf(file) ?? '')) return symbol
    const name = file.slice(file.lastIndexOf('/') + 1)
    const first = this.#sources.get(symbol) ?? name
    this.#sources.set(symbol, first)
    return first === name ? symbol : `before-hash\0${name}\0${symbol}`
  }

  /** The symbol with every place that its frames name; null where they name none. */
  nameOf(key: string): string | null {
    const places = this.#places.get(key)
    if (places === undefined) return null
    const { form, text, files } = places
    const listed = [...files].map(([file, lines]) => `${file}${rangeOf(lines)}`)
    if (form === 'in-parentheses') return `${text} (${listed[0]})`
    if (form === 'around') return [...files].map(([file, lines]) => `${file}:${text}${rangeOf(lines)}`)[0]!
    return `${[...listed.slice(0, MOST_FILES), ...(listed.length > MOST_FILES ? [MORE] : [])].join(',')}#${text}`
  }
}

function widened(lines: Lines, line: number | null): Lines {
  if (line === null) return lines
  return { from: Math.min(lines?.from ?? line, line), to: Math.max(lines?.to ?? line, line) }
}

/** `:120`, `:120-121`, or nothing. */
function rangeOf(lines: Lines): string {
  if (lines === null) return ''
  return lines.from === lines.to ? `:${lines.from}` : `:${lines.from}-${lines.to}`
}
