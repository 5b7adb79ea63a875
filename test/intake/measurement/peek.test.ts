import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { peek } from '../../../src/intake/measurement/peek.ts'

/** Chunks of a stream that knows whether it was let go of. */
class Source {
  isClosed = false
  readonly #chunks: readonly string[]
  readonly #end: Error | null

  constructor(chunks: readonly string[], end: Error | null = null) {
    this.#chunks = chunks
    this.#end = end
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of this.#chunks) yield Buffer.from(chunk)
      if (this.#end !== null) throw this.#end
    } finally {
      this.isClosed = true
    }
  }
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of bytes) text += Buffer.from(chunk).toString()
  return text
}

test.each([
  [0, ''],
  [1, 'a'],
  [4, 'abcd'],
  [99, 'abcdef'],
])('the first %d bytes and the whole', async (count, start) => {
  const { head, bytes } = await peek(new Source(['ab', 'cde', '', 'f']).bytes(), count)
  expect(Buffer.from(head).toString()).toBe(start)
  expect(await textOf(bytes)).toBe('abcdef')
  expect(await textOf(bytes)).toBe('')
})

describe('the stream is let go of', () => {
  test('when nothing was read after the look', async () => {
    const source = new Source(['ab', 'cd'])
    const { bytes } = await peek(source.bytes(), 1)
    expect(source.isClosed).toBe(false)
    await bytes[Symbol.asyncIterator]().return?.()
    expect(source.isClosed).toBe(true)
    expect(await textOf(bytes)).toBe('')
  })

  test('through looks on top of each other', async () => {
    const source = new Source(['ab', 'cd'])
    const { bytes: once } = await peek(source.bytes(), 1)
    const { bytes: twice } = await peek(once, 3)
    await twice[Symbol.asyncIterator]().return?.()
    expect(source.isClosed).toBe(true)
  })

  test('when the reader has had enough', async () => {
    const source = new Source(['ab', 'cd', 'ef'])
    const { bytes } = await peek(source.bytes(), 1)
    for await (const _ of bytes) break
    expect(source.isClosed).toBe(true)
  })
})

describe('a stream that ends with an error', () => {
  const cut = () => new Source(['ab', 'cd'], new Error('cut')).bytes()

  test('within the look is an error, after it one of the reader', async () => {
    await expect(peek(cut(), 9)).rejects.toThrow('cut')
    const { bytes } = await peek(cut(), 3)
    await expect(textOf(bytes)).rejects.toThrow('cut')
    expect(await textOf(bytes)).toBe('')
  })

  test('untilError: what was there comes first, the error after it', async () => {
    const { head, bytes } = await peek(cut(), 9, { untilError: true })
    expect(Buffer.from(head).toString()).toBe('abcd')
    const read: string[] = []
    const all = async () => {
      for await (const chunk of bytes) read.push(Buffer.from(chunk).toString())
    }
    await expect(all()).rejects.toThrow('cut')
    expect(read).toEqual(['ab', 'cd'])
  })

  test('untilError: of nothing there is no look', async () => {
    await expect(peek(new Source([], new Error('cut')).bytes(), 9, { untilError: true })).rejects.toThrow('cut')
  })
})
