/** Characters of a stamp with the names of a job and a step before it. */
const LONGEST_STAMP = 1000

/**
 * The stamp that GitHub Actions writes before each line of a log: `2026-01-02T03:04:05.1234567Z `. `gh run view --log` has the job and the step
 * before it, with tabs, and GitHub a byte order mark on the first line of a file.
 */
const STAMP = String.raw`^\ufeff?(?:[^\t\n]{1,400}\t[^\t\n]{1,400}\t)?\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z(?: |(?=\r?\n|$))`
const FIRST_STAMP = new RegExp(STAMP)
const STAMPS = new RegExp(STAMP, 'gm')

/** Whether a file that begins so is a log of GitHub Actions. */
export function isActionsLog(head: string): boolean {
  return FIRST_STAMP.test(head)
}

/** The lines of a log of GitHub Actions as they were printed, in UTF-8. */
export async function* withoutStamps(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8')
  const encoder = new TextEncoder()
  // the beginning of a line, whose stamp may go on in the next chunk
  let held = ''
  let isInsideLine = false
  const take = (text: string, isLast: boolean): Uint8Array => {
    const end = text.lastIndexOf('\n') + 1
    const isHeld = !isLast && text.length - end < LONGEST_STAMP
    const given = isHeld ? text.slice(0, end) : text
    held = isHeld ? text.slice(end) : ''
    const from = isInsideLine ? given.indexOf('\n') + 1 || given.length : 0
    if (given !== '') isInsideLine = !given.endsWith('\n')
    return encoder.encode(given.slice(0, from) + given.slice(from).replaceAll(STAMPS, ''))
  }
  for await (const chunk of bytes) yield take(held + decoder.decode(chunk, { stream: true }), false)
  yield take(held + decoder.decode(), true)
}
