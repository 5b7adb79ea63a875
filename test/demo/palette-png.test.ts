import { crc32, deflateSync, inflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { palettePng } from '../../demo/palette-png.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** Three bytes a pixel, unfiltered. */
function png(width: number, pixels: readonly number[]): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(pixels.length / width, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = pixels.flatMap((pixel, place) => [
    ...(place % width === 0 ? [0] : []),
    pixel >> 16,
    (pixel >> 8) & 255,
    pixel & 255,
  ])
  const data = chunk('IDAT', deflateSync(Buffer.from(rows)))
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))])
}

function pixelsOf(file: Buffer): number[] {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at)
    const body = file.subarray(at + 4, at + 8 + length)
    expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += length + 12
  }
  const [header, colours] = [chunks.get('IHDR')!, chunks.get('PLTE')!]
  expect([header[8], header[9]]).toEqual([8, 3])
  expect(colours.length).toBeLessThanOrEqual(768)
  const width = header.readUInt32BE(0)
  return [...inflateSync(chunks.get('IDAT')!)]
    .filter((_value, place) => place % (width + 1) !== 0)
    .map((index) => colours.readUIntBE(3 * index, 3))
}

const colour = fc.integer({ min: 0, max: 0xffffff })

test('up to 256 colours stay as they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(colour, { minLength: 9, maxLength: 252 }), (width, some) => {
      const pixels = some.slice(0, some.length - (some.length % width))
      expect(pixelsOf(palettePng(png(width, pixels)))).toEqual(pixels)
    }),
  )
})

test('of more colours each becomes a near one, and one that stands out stays', () => {
  const greys = Array.from({ length: 4000 }, (_, place) => {
    const grey = place % 200
    return (grey << 16) | (grey << 8) | Math.min(255, grey + (place % 7))
  })
  const pixels = [...greys, 0x00ff00, 0x00ff00]
  const shown = pixelsOf(palettePng(png(2, pixels)))
  expect(shown.slice(-2)).toEqual([0x00ff00, 0x00ff00])
  const far = shown.map((pixel, place) => Math.abs((pixel & 255) - (pixels[place]! & 255)))
  expect(Math.max(...far)).toBeLessThanOrEqual(12)
})

test('what is no such picture is refused', () => {
  const indexed = palettePng(png(1, [1, 2, 3]))
  expect(() => palettePng(indexed)).toThrow('not a PNG as a browser writes it')
})
