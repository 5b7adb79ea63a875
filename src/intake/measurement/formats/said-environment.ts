import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'

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

/** `Node.js 20.20.2 on Linux 64-bit`, as benchmark.js describes its platform, and `node v20.20.2`, as people print it. */
const JAVASCRIPT =
  /^(Node(?:\.js)?|Bun|Deno|Chrome|Firefox|Safari|Microsoft Edge):? (?:version:? )?v?(\d+(?:\.\d+)+)(?: on (\S+).*)?\s*$/i

/** What a line of a JavaScript program says of what runs it; null: nothing. */
export function javascriptOf(line: string): SaidEnvironment | null {
  const [, name, version, os] = JAVASCRIPT.exec(line) ?? []
  if (name === undefined) return null
  return { runtime: `${/^node/i.test(name) ? 'Node.js' : name} ${version}`, os }
}
