import { crc32, deflateSync, inflateSync } from 'node:zlib'

/**
 * A PNG of 8 bits a channel without interlacing, as browsers write it, with at most 256 colours in the place of millions: a
 * picture of text is a third as large then. Opaque: what is transparent becomes white.
 */
export function palettePng(png: Uint8Array): Buffer {
  const { width, height, pixels } = decode(png)
  const { palette, indexOf } = paletteOf(pixels)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    // Each row begins with its filter: none, the best one where neighbouring numbers mean nothing.
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = indexOf.get(pixels[y * width + x]!)!
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

interface Picture {
  readonly width: number
  readonly height: number
  /** 0xrrggbb, row by row. */
  readonly pixels: Uint32Array
}

function decode(png: Uint8Array): Picture {
  const bytes = Buffer.from(png)
  const data: Buffer[] = []
  let header = Buffer.alloc(0)
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') header = content
    if (type === 'IDAT') data.push(content)
    at += length + 12
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = header[9] === 6 ? 4 : header[9] === 2 ? 3 : 0
  if (header[8] !== 8 || channels === 0 || header[12] !== 0) throw new Error('not a PNG as a browser writes it')
  const raw = unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels)
  const pixels = new Uint32Array(width * height)
  for (let place = 0; place < pixels.length; place += 1) {
    const at = place * channels
    const alpha = channels === 4 ? raw[at + 3]! / 255 : 1
    const over = (value: number) => Math.round(value * alpha + 255 * (1 - alpha))
    pixels[place] = (over(raw[at]!) << 16) | (over(raw[at + 1]!) << 8) | over(raw[at + 2]!)
  }
  return { width, height, pixels }
}

/** The filters of PNG, section 9: each byte was predicted from the one before it and those above. */
function unfiltered(filtered: Buffer, rowLength: number, height: number, channels: number): Uint8Array {
  const raw = new Uint8Array(rowLength * height)
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (rowLength + 1)]!
    for (let x = 0; x < rowLength; x += 1) {
      const at = y * rowLength + x
      const left = x >= channels ? raw[at - channels]! : 0
      const up = y > 0 ? raw[at - rowLength]! : 0
      const upLeft = x >= channels && y > 0 ? raw[at - rowLength - channels]! : 0
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter]!
      raw[at] = filtered[y * (rowLength + 1) + 1 + x]! + predicted
    }
  }
  return raw
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft
  const [byLeft, byUp, byUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)]
  return byLeft <= byUp && byLeft <= byUpLeft ? left : byUp <= byUpLeft ? up : upLeft
}

const COLOURS = 256

/**
 * Half of the colours are those that are there most often; the others those that would be replaced by the most distant one,
 * weighed by how often they are there: one green word on a page stays green. Each of the rest is replaced by the nearest.
 */
function paletteOf(pixels: Uint32Array): { palette: readonly number[]; indexOf: ReadonlyMap<number, number> } {
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const colours = [...counts].toSorted(([, a], [, b]) => b - a)
  const palette: number[] = []
  const nearest = new Map<number, { index: number; far: number }>()
  const add = (chosen: number) => {
    const index = palette.push(chosen) - 1
    for (const [colour] of colours) {
      const far = distance(colour, chosen)
      if (far < (nearest.get(colour)?.far ?? Infinity)) nearest.set(colour, { index, far })
    }
  }
  for (const [colour] of colours.slice(0, COLOURS / 2)) add(colour)
  while (palette.length < Math.min(COLOURS, colours.length)) {
    const harm = ([colour, count]: readonly [number, number]) => nearest.get(colour)!.far * Math.sqrt(count)
    add(colours.reduce((worst, one) => (harm(one) > harm(worst) ? one : worst))[0])
  }
  return { palette, indexOf: new Map([...nearest].map(([colour, { index }]) => [colour, index])) }
}

function distance(a: number, b: number): number {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)]
  return red * red + green * green + blue * blue
}
