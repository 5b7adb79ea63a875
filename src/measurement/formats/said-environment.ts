import { z } from 'zod'

/** A field of an environment as a tool writes it: one that is something else is passed over, since no measurement depends on it. */
export const saidText = z.string().max(10_000).nullish().catch(null)
export const saidNumber = z.number().nullish().catch(null)

/** `CPython 3.12.1`: tools write the names of implementations in several spellings. */
export function pythonOf(implementation: string | null | undefined, version: string | null | undefined): string | null {
  if (!version) return null
  const name = implementation?.toLowerCase() ?? 'python'
  return `${NAMES.get(name) ?? implementation} ${version}`
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['python', 'Python'],
  ['cpython', 'CPython'],
  ['pypy', 'PyPy'],
])
