/**
 * Splits bytes into lines: UTF-8 with or without a byte order mark, ends of lines with or without CR. Memory is one
 * chunk and one line.
 *
 * `onLine` gets each line without its end, its 1-based number, and whether it was ended: the last line of a file that
 * was cut is not, and a cut number still parses. `onTooLong` gets the numbers of lines beyond `lineLength`.
 */
export async function readLines(
  bytes: AsyncIterable<Uint8Array>,
  lineLength: number,
  onLine: (line: string, number: number, ended: boolean) => void,
  onTooLong: (number: number) => void,
): Promise<void> {
  const decoder = new TextDecoder('utf-8')
  let carry = ''
  let skipping = false
  let number = 1

  const take = (text: string): void => {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (skipping || carry.length + end - start > lineLength) onTooLong(number)
      else onLine(withoutCarriageReturn(carry + text.slice(start, end)), number, true)
      carry = ''
      skipping = false
      number += 1
      start = end + 1
    }
    if (skipping) return
    if (carry.length + text.length - start > lineLength) {
      carry = ''
      skipping = true
    } else {
      carry += text.slice(start)
    }
  }

  for await (const chunk of bytes) take(decoder.decode(chunk, { stream: true }))
  take(decoder.decode())
  if (skipping) onTooLong(number)
  else if (carry !== '') onLine(withoutCarriageReturn(carry), number, false)
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
