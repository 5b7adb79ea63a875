import type { TextInPieces } from '../../src/text/text-pieces.ts'

/** The whole of it. */
export function joined(text: TextInPieces): string {
  return [...text.pieces()].join('')
}
