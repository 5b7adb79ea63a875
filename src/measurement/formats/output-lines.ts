/** Characters of a line of a tool's output. A longer one is no line of a benchmark, and may cost a pattern much time. */
const LONGEST_LINE = 4000
/** So much space is no column of a table: a pattern that looks for its end tries it from each place in it. */
const ENDLESS_SPACE = /(?<!\s)\s{500}/

const ESCAPE = String.fromCodePoint(27)
/** Colours and movements of a terminal: an escape, a bracket, numbers and a letter. */
const TERMINAL = new RegExp(`${ESCAPE}\\[[\\d;?]*[A-Za-z]`, 'g')

/** The lines of what a tool printed, without colours; of what it wrote over each other on a terminal the last. */
export function outputLines(text: string): readonly string[] {
  return text.split('\n').map((raw) => {
    if (raw.length > LONGEST_LINE || ENDLESS_SPACE.test(raw)) return ''
    const line = raw.replaceAll(TERMINAL, '')
    return line.slice(line.lastIndexOf('\r') + 1)
  })
}
