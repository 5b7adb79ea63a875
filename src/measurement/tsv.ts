import { Buffer } from 'node:buffer'

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '0': '\0',
}

/** Undoes the escapes of ClickHouse's TSV: `\t \n \r \b \f \0 \\ \'` and bytes as `\xHH`. */
export function unescapeTsv(field: string): string {
  if (!field.includes('\\')) return field
  return field.replaceAll(/((?:\\x[0-9a-fA-F]{2})+)|\\(.)/gs, (_, bytes: string | undefined, character: string) =>
    bytes === undefined
      ? (ESCAPES[character] ?? character)
      : Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString('utf8'),
  )
}
