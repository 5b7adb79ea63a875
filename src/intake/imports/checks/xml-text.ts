import { peek } from '../../measurement/peek.ts'

/** An XML declaration stands in the first bytes or nowhere. */
const DECLARATION_BYTES = 256

/** Characters that XML can't hold, though outputs of programs do: a terminal's escapes above all. */
const NO_XML = /[^\P{Cc}\t\n\r\x7f-\x9f]|[\ufffe\uffff]/u
const ALL_NO_XML = new RegExp(NO_XML, 'gu')

/**
 * The text of an XML document in the encoding that its byte order mark or declaration states, UTF-8 otherwise. Control
 * characters, which XML does not allow, become `�`; `onReplaced` is told once.
 */
export async function* xmlText(
  bytes: AsyncIterable<Uint8Array>,
  onReplaced: () => void,
  onUnknownEncoding: (label: string) => void,
): AsyncGenerator<string> {
  const { head, bytes: all } = await peek(bytes, DECLARATION_BYTES)
  const label = encodingOf(head)
  const stated = statedEncoding(head)
  if (!isKnown(stated)) onUnknownEncoding(stated)
  const decoder = new TextDecoder(label)
  let replaced = false
  const clean = (text: string): string => {
    if (!NO_XML.test(text)) return text
    if (!replaced) onReplaced()
    replaced = true
    return text.replaceAll(ALL_NO_XML, '\u{fffd}')
  }
  for await (const chunk of all) {
    const text = clean(decoder.decode(chunk, { stream: true }))
    if (text !== '') yield text
  }
  const rest = clean(decoder.decode())
  if (rest !== '') yield rest
}

/** The encoding of a document with these first bytes: what they state where `TextDecoder` knows it, else UTF-8. */
export function encodingOf(head: Uint8Array): string {
  const stated = statedEncoding(head)
  return isKnown(stated) ? stated : 'utf-8'
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}

function statedEncoding(head: Uint8Array): string {
  const [a, b, c] = head
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const start = String.fromCharCode(...head.subarray(0, DECLARATION_BYTES))
  const label = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1]
  // a document that calls itself UTF-16 and could be read until here is none
  return label === undefined || /^utf-?16/i.test(label) ? 'utf-8' : label
}
