import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checksum } from '../../src/ledger/checksum.ts'

test('FNV-1a of the bytes of the text in UTF-16', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
      let sum = 2_166_136_261n
      for (const byte of Buffer.from(text, 'utf16le')) sum = ((sum ^ BigInt(byte)) * 16_777_619n) % 2n ** 32n
      expect(checksum(text)).toBe(sum.toString(16).padStart(8, '0'))
    }),
  )
})
