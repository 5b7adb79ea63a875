import type { ReaderContext } from './format.ts'

/** Characters of a line of a tool's output. A longer one may cost a pattern much time. */
const LONGEST_LINE = 4000
/** So much space is no column of a table: a pattern that looks for its end tries it from each place in it. */
const ENDLESS_SPACE = /(?<!\s)\s{500}/

const ESCAPE = String.fromCodePoint(27)
/** Colours and movements of a terminal: an escape, a bracket, numbers and a letter. */
const TERMINAL = new RegExp(`${ESCAPE}\\[[\\d;?]*[A-Za-z]`, 'g')

/** What a tool printed, without the colours that it has for a terminal. */
export function withoutColours(text: string): string {
  return text.includes(ESCAPE) ? text.replaceAll(TERMINAL, '') : text
}

/** The lines of what a tool printed, without colours; of what it wrote over each other on a terminal the last. */
export function outputLines(text: string, { warn }: Pick<ReaderContext, 'warn'>): readonly string[] {
  return text.split('\n').map((raw, index) => {
    const line = withoutColours(raw.slice(raw.lastIndexOf('\r') + 1))
    if (line.length <= LONGEST_LINE && !ENDLESS_SPACE.test(line)) return line
    // a line without a number is no result
    if (/\d/.test(line)) warn('malformed-line', index + 1, TOO_LONG)
    return ''
  })
}

const TOO_LONG = `more than ${LONGEST_LINE.toLocaleString('en')} characters or 500 spaces in a row: skipped`

/**
 * The lines of a tool's output. Of a last one without its end `isWhole` says whether it is complete by the tool's grammar: `325 ns/op` is,
 * since nothing comes behind a unit; `12.5` may be the beginning of `12.57`, and is left out. Who keeps an output by `$(…)` loses that end.
 */
export function wholeLines(
  text: string,
  isWhole: (line: string) => boolean,
  context: ReaderContext,
): readonly string[] {
  return withoutCutLine(outputLines(text, context), isWhole, context)
}

/** The lines without the last one where it has no end and is not whole. The last one is empty where the text ends in an end of line. */
export function withoutCutLine(
  lines: readonly string[],
  isWhole: (line: string) => boolean,
  context: ReaderContext,
): readonly string[] {
  const last = lines.at(-1)!
  if (last === '' || isWhole(last)) return lines
  // a line without a number was no result: nobody misses it
  if (/\d/.test(last)) {
    context.warn('truncated-line', lines.length, 'the last line has no newline, so it may be cut off: skipped')
  }
  return lines.slice(0, -1)
}
