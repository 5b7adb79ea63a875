/** Longer ones are for no command line. */
const LONGEST = 1000

/**
 * A text as one word of a POSIX shell, to be copied from a page: what can't be seen, or turns the direction of what follows,
 * is written as octal digits. null for what no argument can hold, or nobody would copy.
 */
export function shellQuote(text: string): string | null {
  if (text.length > LONGEST || text.includes('\0') || text.endsWith('\n') || !text.isWellFormed()) return null
  if (/^[A-Za-z0-9_][A-Za-z0-9_.:/-]*$/.test(text)) return text
  // `\p{C}` has what is not assigned too; a space is the only separator that looks like one, U+2800 a blank that is none.
  if (!/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u.test(text)) return singleQuoted(text)
  const bytes = [...Buffer.from(text)].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : octal(byte)))
  return `"$(printf '%b' '${bytes.join('')}')"`
}

/** The same of a text that can be seen, whatever it holds: always in quotes. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function isPlain(byte: number): boolean {
  return /[A-Za-z0-9_ .,:;/+=-]/.test(String.fromCharCode(byte))
}

function octal(byte: number): string {
  return `\\0${byte.toString(8).padStart(3, '0')}`
}

/** A text as a string literal in a statement of ClickHouse, on one line. */
export function sqlText(text: string): string {
  const escaped = text.toWellFormed().replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')
  return `'${escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`
}

/** The name of a database, table or column in a statement of ClickHouse. */
export function sqlName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``
}

/** A text as a string literal of ClickHouse, to be copied from a page: in ASCII that can be seen. */
export function sqlLiteral(text: string): string {
  const bytes = [...Buffer.from(text.toWellFormed())].map((byte) => {
    const character = String.fromCharCode(byte)
    if (character === '\\' || character === "'") return `\\${character}`
    return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`
  })
  return `'${bytes.join('')}'`
}
