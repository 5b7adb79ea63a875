import type { Output } from './command.ts'

/** What a terminal is taken to have that does not say: some CI systems' say 0. */
const USUAL_WIDTH = 80

/** Columns of the terminal; null: the output is none, and nothing is cut. */
export function terminalWidth({ isTTY, columns }: Output): number | null {
  if (isTTY !== true) return null
  return columns === undefined || columns < 1 ? USUAL_WIDTH : columns
}
