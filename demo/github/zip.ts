import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A zip archive of the given members, as an artifact upload makes one.
 * @param members content by name; text is written as UTF-8
 * @param method `store` keeps the bytes as they are
 */
export function zipOf(
  members: Readonly<Record<string, string | Uint8Array>>,
  method: 'deflate' | 'store' = 'deflate',
): Uint8Array {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(members)) {
    const bytes = Buffer.from(content)
    const data = method === 'store' ? bytes : deflateRawSync(bytes)
    const path = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    // Bit 11: the name is UTF-8.
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(method === 'store' ? 0 : 8, 4)
    // 1980-01-01, the zero of the format: archives of the same members are equal.
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(path.length, 22)
    locals.push(signature(0x04034b50), common, path, data)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(signature(0x02014b50), Buffer.from([20, 3]), common, rest, path)
    offset += 4 + common.length + path.length + data.length
  }
  const central = Buffer.concat(directory)
  const count = Object.keys(members).length
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, central, signature(0x06054b50), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
