/** A text as a string literal of ClickHouse, to be copied from a page: in ASCII that can be seen. */
export function sqlLiteral(text: string): string {
  const bytes = [...Buffer.from(text.toWellFormed())].map((byte) => {
    const character = String.fromCharCode(byte)
    if (character === '\\' || character === "'") return `\\${character}`
    return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`
  })
  return `'${bytes.join('')}'`
}
