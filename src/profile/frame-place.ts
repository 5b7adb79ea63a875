import { isSourcePath } from './source-path.ts'

/** Where a frame says that it is, and what is left of it: the name of its function. */
export interface FramePlace {
  readonly text: string
  readonly file: string | null
  readonly line: number | null
}

/** `src/A.cpp:12#f`, `f (src/a.py:12)`, `a.py:f`, `a.py:f:12`, `src/A.cpp:12`: where it is, and what is left. */
export function placeOf(frame: string): FramePlace {
  const hash = frame.indexOf('#')
  if (hash !== -1) {
    const place = pathAndLine(frame.slice(0, hash))
    if (place !== null) return { ...place, text: frame.slice(hash + 1).trim() }
  }
  if (frame.endsWith(')')) {
    const open = frame.lastIndexOf('(')
    const place = pathAndLine(frame.slice(open + 1, -1))
    if (place !== null) return { ...place, text: frame.slice(0, open).trim() }
  }
  const whole = pathAndLine(frame)
  if (whole !== null && whole.line !== null) return { ...whole, text: '' }
  const colon = frame.indexOf(':')
  if (colon > 0 && frame[colon + 1] !== ':' && isSourcePath(frame.slice(0, colon))) {
    const last = frame.lastIndexOf(':')
    const line = last > colon ? lineNumber(frame.slice(last + 1)) : null
    return { file: frame.slice(0, colon), line, text: frame.slice(colon + 1, line === null ? undefined : last) }
  }
  return { text: frame, file: null, line: null }
}

function pathAndLine(text: string): Omit<FramePlace, 'text'> | null {
  const colon = text.lastIndexOf(':')
  const line = colon === -1 ? null : lineNumber(text.slice(colon + 1))
  const file = line === null ? text : text.slice(0, colon)
  return isSourcePath(file) ? { file, line } : null
}

function lineNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}
