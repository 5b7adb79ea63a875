import { type NamePart, NameScanner } from './name-scanner.ts'

/** The parts of a name without a place; null where it names no function. */
export function functionParts(name: string): readonly string[] | null {
  // flamegraph's marks of kernel, inlined and just-in-time compiled frames
  const text = legacyRust(name.replace(/_\[[a-z]\]$/, ''))
  const parts = withoutSuffixes(new NameScanner(text).scan()?.parts ?? [])
  const last = parts.at(-1)
  if (last === undefined || /^\d/.test(last)) return null
  return parts.length === 1 && NO_FUNCTION.test(last) ? null : parts
}

/** An address, or what a profiler writes where it does not know. */
const NO_FUNCTION = /^(?:(?=[a-f]*\d)[0-9a-f]{8,16}|unknown|void|auto|anonymous)$/

const RUST_ESCAPES = [
  ['$LT$', '<'],
  ['$GT$', '>'],
  ['$u20$', ' '],
  ['$RF$', '&'],
  ['$BP$', '*'],
  ['$LP$', '('],
  ['$RP$', ')'],
  ['$C$', ','],
  ['$u7b$', '{'],
  ['$u7d$', '}'],
  ['..', '::'],
] as const

/** Symbols of Rust's legacy mangling, as a profiler without its demangler leaves them. */
function legacyRust(text: string): string {
  if (!text.includes('$LT$') && !text.includes('$u7b$')) return text
  const decoded = RUST_ESCAPES.reduce((result, [code, character]) => result.replaceAll(code, character), text)
  return decoded.startsWith('_<') ? decoded.slice(1) : decoded
}

const COMPILER_SUFFIXES: ReadonlySet<string> = new Set([
  'constprop',
  'part',
  'isra',
  'llvm',
  'cold',
  'hot',
  'unlikely',
  'warm',
  'clone',
  'lto_priv',
  'localalias',
  '__uniq',
])

/** Without `.llvm.123` and the like, hashes of Rust, closures of Go (`.func1`) and the numbers of anonymous classes. */
function withoutSuffixes(scanned: readonly NamePart[]): string[] {
  const parts = scanned.filter(({ text }, index) => index === 0 || !/^\d+$/.test(text))
  while (parts.length > 1) {
    const { text, after } = parts.at(-1)!
    const isSuffix =
      (after === '.' && (COMPILER_SUFFIXES.has(text) || /^(?:func|gowrap)\d+$/.test(text))) ||
      /^h[0-9a-f]{16}$/.test(text)
    if (!isSuffix) break
    parts.pop()
  }
  return parts.map(({ text }) => text)
}
