import { matchName, type NamePattern } from '../../text/name-pattern.ts'

export function fitsAny(patterns: readonly NamePattern[], name: string): boolean {
  return patterns.some((pattern) => matchName(pattern, name) !== null)
}
