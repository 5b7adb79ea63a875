import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of a zip, and the lies to tell about it. */
export interface ZipSpec {
  readonly name: string
  readonly data: Buffer | string
  readonly stored?: boolean
  readonly method?: number
  readonly flags?: number
  readonly crc?: number
  /** What the headers say that it is after decompression. */
  readonly declaredSize?: number
  /** Unix mode, for links. */
  readonly mode?: number
}

/** A zip made byte by byte (APPNOTE.TXT 4.3), so that it can be wrong in any way. */
export function makeZip(specs: readonly ZipSpec[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const spec of specs) {
    const data = Buffer.from(spec.data)
    const method = spec.method ?? (spec.stored === true ? 0 : 8)
    const packed = method === 8 ? deflateRawSync(data) : data
    const name = Buffer.from(spec.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(spec.flags ?? 0x800, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(spec.crc ?? crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(spec.declaredSize ?? data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((spec.mode ?? 0o100644) << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    const madeBy = Buffer.from([20, 3])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, tail, name]))
    locals.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(specs.length, 4)
  end.writeUInt16LE(specs.length, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, entries, Buffer.from('PK\x05\x06'), end])
}
