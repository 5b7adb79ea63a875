import { crc32 } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as yauzl from 'yauzl'
import { zipOf } from '../../demo/github/zip.ts'

async function read(archive: Uint8Array): Promise<[string, Buffer, number][]> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(archive))
  const members: [string, Buffer, number][] = []
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    members.push([entry.fileName, Buffer.concat(chunks), entry.crc32])
  }
  return members
}

test('any members come back as they were, with their checksums', async () => {
  const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => /^[^/\\:\0]+$/.test(text) && text !== '..')
  const members = fc.dictionary(fc.oneof(name, fc.constant('folder/gr\u00fc\u00df.tsv')), fc.uint8Array(), {
    maxKeys: 5,
  })
  await fc.assert(
    fc.asyncProperty(members, fc.constantFrom('deflate' as const, 'store' as const), async (content, method) => {
      const found = await read(zipOf(content, method))
      expect(found.map(([path]) => path)).toEqual(Object.keys(content))
      for (const [path, bytes, checksum] of found) {
        expect([...bytes]).toEqual([...content[path]!])
        expect(checksum).toBe(crc32(bytes))
      }
    }),
  )
})
