import { placeOf } from './frame-place.ts'
import { type NamePart, NameScanner } from './name-scanner.ts'

/**
 * The function that a frame of a profile or a line of source code names, in a form that the same function has wherever
 * it is named: without return type, parameters, template arguments, anonymous namespaces and what compilers append to a
 * symbol. Written for C++, as c++filt and LLVM demangle it; takes Rust, Go, Java, Python and JavaScript as profilers
 * write them.
 */

/** More than any name that says something: what templates make longer names no function here. */
export const LONGEST_NAME = 16_384

export interface FrameName {
  /** Namespaces, classes and the function, outermost first; null where the frame names none. Never empty. */
  readonly parts: readonly string[] | null
  /** The source file, as the frame names it. */
  readonly file: string | null
  readonly line: number | null
}

/** A frame's function and, where it names one, the file that it is in. */
export function frameName(frame: string): FrameName {
  if (frame.length > LONGEST_NAME) return { parts: null, file: null, line: null }
  const { text, file, line } = placeOf(frame.trim())
  return { parts: functionParts(text), file, line }
}

/**
 * `void DB::Aggregator::executeImpl<true>(int) const` is `DB::Aggregator::executeImpl`. Null where it names no function: an
 * address, `[unknown]`, `(filtered by script)`. What it gives it leaves as it is.
 */
export function functionName(frame: string): string | null {
  return frameName(frame).parts?.join('::') ?? null
}

/**
 * The last two parts of the name, as people call it: `Aggregator::executeImpl`. The frame itself where it names no
 * function.
 */
export function shortFunctionName(frame: string): string {
  return frameName(frame).parts?.slice(-2).join('::') ?? frame
}

/** The parts of a name without a place; null where it names no function. */
function functionParts(name: string): readonly string[] | null {
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

/** Classes and namespaces that half of all files have one of: they qualify nothing. */
const COMMON_QUALIFIERS: ReadonlySet<string> = new Set(
  'Impl impl detail details internal Base Helper Traits Data State Node Entry Iterator iterator const_iterator Builder Options Settings Context Visitor Matcher Reader Writer Factory Pool Handler Task Guard Lock Cache Params Config Key Value Item Element Map Set List Parser Lexer Token Buffer Stream Query Request Response Block Column Row Table Index Function Expression Connection Session Server Client Thread Value Object String Vector Array Queue Stack Tree Graph Hash Allocator Arena Logger Event Message Result Error std __1'.split(
    ' ',
  ),
)

/** Names of two words that are functions of many things all the same. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  'executeImpl executeQuery executeOnBlock applyImpl processImpl updateImpl insertData insertFrom serializeBinary deserializeBinary startElement toString_ get_value set_value push_back pop_back emplace_back push_front pop_front begin_read end_read read_some write_some main_loop to_string from_string read_all write_all run_loop run_impl do_work do_something nextImpl readImpl writeImpl getImpl setImpl __call__ __init__ __next__ __iter__ hashCode compareTo getOrDefault forEach'.split(
    ' ',
  ),
)

/** Namespaces that come with the compiler: no pull request changes them, whatever their classes are called. */
const OF_COMPILER: ReadonlySet<string> = new Set('std __gnu_cxx __cxxabiv1'.split(' '))

/** A shorter name alone says too little: `hash_row` has 8. */
const SHORTEST_ALONE = 8

/**
 * Whether a function as a diff shows it is one that a profile names. Their parts, outermost first, are compared from the
 * right as far as both go. What is left with nothing to qualify it, or with a class that half of all files have, must be a
 * name that is not common: of two words and more, and in the profile with one part more at most, the namespace.
 *
 * Is: `Aggregator::executeImpl` and `DB::Aggregator::executeImpl`; `convertToFullIfNeeded` and `DB::convertToFullIfNeeded`;
 * `Set::insertFromBlock` and `DB::Set::insertFromBlock`. Is not: `execute` and `DB::Pipeline::execute`; `Impl::apply` and
 * `DB::FunctionPlus::Impl::apply`; `Set::insert` and `DB::Map::insert`; `Parser::parse` and `rapidjson::Parser::parse`;
 * `ReadBuffer::next` and `std::ReadBuffer::next`.
 */
export function isSameFunction(ofDiff: readonly string[], ofFrame: readonly string[]): boolean {
  const common = Math.min(ofDiff.length, ofFrame.length)
  if (common === 0) return false
  for (let back = 1; back <= common; back += 1) {
    if (ofDiff.at(-back) !== ofFrame.at(-back)) return false
  }
  const longer = ofFrame.length > ofDiff.length ? ofFrame : ofDiff
  if (longer.length > common && OF_COMPILER.has(longer[0]!)) return false
  const name = ofDiff.at(-1)!
  const shared = ofDiff.slice(-common)
  if (shared.slice(0, -1).some((part) => !COMMON_QUALIFIERS.has(part))) return true
  // nothing but the name tells; a diff mostly shows no namespace, which is one part more
  return Math.abs(ofDiff.length - ofFrame.length) <= 1 && isDistinct(name)
}

/** Whether the name alone, of whatever it is a function, is unlikely to be another one. */
function isDistinct(name: string): boolean {
  return name.length >= SHORTEST_ALONE && !COMMON_NAMES.has(name) && /[a-z0-9](?:_+[A-Za-z]|[A-Z])/.test(name)
}
