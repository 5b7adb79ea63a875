type Decoder = InstanceType<typeof TextDecoder>

/**
 * Gives UTF-16 as UTF-8, and anything else as it is: PowerShell's `>` writes UTF-16. It is known by its byte order mark,
 * or by a zero byte among the first two, which text in UTF-8 does not have.
 */
export async function* asUtf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let head: Uint8Array | null = new Uint8Array(0)
  let decoder: Decoder | null = null
  for await (const chunk of bytes) {
    let next = chunk
    if (head !== null) {
      next = head.length === 0 ? chunk : joined(head, chunk)
      if (next.length < 2) {
        head = next
        continue
      }
      head = null
      decoder = decoderFor(next[0]!, next[1]!)
    }
    yield decoder === null ? next : encoder.encode(decoder.decode(next, { stream: true }))
  }
  if (head !== null && head.length > 0) yield head
  if (decoder !== null) yield encoder.encode(decoder.decode())
}

function decoderFor(first: number, second: number): Decoder | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return new TextDecoder('utf-16le')
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return new TextDecoder('utf-16be')
  return null
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
