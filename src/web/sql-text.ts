/**
 * A text as a string literal of ClickHouse that looks like what it is: what is not visible, or turns the direction of what
 * follows, stands as bytes.
 */
export function sqlText(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/[\\']/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    )
  return `'${escaped}'`
}
