import { NameScanner, type Scanned } from './name-scanner.ts'
import { extensionOf } from './source-path.ts'

/** Patterns of the lines of a language that define something: as much as a diff needs, which shows no whole file. */
export interface SourceLanguage {
  /** The function that a line begins to define, its parts outermost first; null: none. `container`: the class it is in. */
  readonly definition: (line: string, container: string | null) => readonly string[] | null
  /**
   * The parts of the class, namespace or implementation that a line begins and that has functions in it; null: none.
   */
  readonly container: (line: string) => readonly string[] | null
  /** A line that is nothing but a comment. */
  readonly comment: RegExp
  /** A line that becomes no code of its own, such as an include. */
  readonly noCode: RegExp | null
  /** Blocks end by their indentation alone, without a bracket. */
  readonly isIndented: boolean
  /** A function may be compiled into others of any file by what stands in this line. */
  readonly inlines: RegExp | null
  /** Any function may be compiled into others of any file, here while it runs: nothing in its text says so. */
  readonly inlinesFreely: boolean
}

/** A template, a macro, or a function that the compiler is told to inline. */
const INLINES_IN_C = /^\s*template\b|^\s*#\s*define\b|\b(?:inline|constexpr|consteval|\w*ALWAYS_INLINE|FORCE_INLINE)\b/

const STATEMENT =
  /^(?:if|else|for|foreach|while|switch|case|do|return|throw|try|catch|finally|new|delete|using|typedef|goto|static_assert|co_return|co_await|co_yield|assert|await|yield|import|package|require|super|this)\b/

const C: SourceLanguage = {
  definition: definitionInC,
  container: (line) =>
    keywordName(line, /^(?:template\s*<.*>\s*)?(?:class|struct|union|namespace|(?:inline|export) namespace)\s+/),
  comment: /^(?:\/\/|\/\*.*\*\/$)/,
  // what is defined elsewhere: includes, and declarations of types and of variables
  noCode: /^(?:#\s*include\b|extern\s[^(]*;|(?:class|struct)\s+\w+;)/,
  isIndented: false,
  inlines: INLINES_IN_C,
  inlinesFreely: false,
}

/** Methods as Java, C#, Kotlin, Scala, Swift, JavaScript and TypeScript write them. */
const BRACES: SourceLanguage = {
  definition: (line, container) => {
    // JavaScript's private methods
    const text = line.replace(/^#(?=\w)/, '')
    return functionKeyword(text, container) ?? definitionInC(text, container)
  },
  container: (line) =>
    keywordName(
      line,
      /^(?:(?:export|default|public|private|protected|internal|abstract|final|static|sealed|open|data|case)\s+)*(?:class|interface|enum|record|object|trait|struct|extension|namespace)\s+/,
    ),
  comment: /^(?:\/\/|\/\*.*\*\/$)/,
  noCode: /^(?:import|package|using)\b[^(]*;?$/,
  isIndented: false,
  inlines: /^\s*(?:.*\s)?inline\s+fun\b/,
  inlinesFreely: true,
}

const GO: SourceLanguage = {
  definition: (line) => {
    const found = /^func\s+(?:\(\s*(?:\w+\s+)?\*?(\w+)[^)]{0,200}\)\s*)?(\w+)/.exec(line)
    return found === null ? null : [found[1], found[2]].filter((part) => part !== undefined)
  },
  container: () => null,
  comment: /^(?:\/\/|\/\*.*\*\/$)/,
  noCode: /^import\b/,
  isIndented: false,
  inlines: null,
  inlinesFreely: true,
}

const RUST: SourceLanguage = {
  definition: (line, container) => {
    const found = /^(?:pub(?:\([^)]{0,60}\))?\s+)?(?:(?:const|async|unsafe|default|extern|"C")\s+)*fn\s+(\w+)/.exec(
      line,
    )
    return found === null ? null : within(container, found[1]!)
  },
  container: (line) => {
    const found = /^(?:unsafe\s+)?impl\b/.exec(line)
    if (found === null) return keywordName(line, /^(?:pub(?:\([^)]{0,60}\))?\s+)?(?:unsafe\s+)?(?:mod|trait)\s+/)
    const [rest] = line
      .slice(found[0].length)
      .replace(/^\s*<[^>]{0,200}>/, '')
      .split(' for ')
      .slice(-1)
    return nameAt(rest ?? '')
  },
  comment: /^(?:\/\/|\/\*.*\*\/$)/,
  noCode: /^use\b[^(]*;$/,
  isIndented: false,
  inlines: /^\s*#\[inline|\bmacro_rules!|^\s*(?:pub\s+)?(?:const\s+)?fn\s+\w+</,
  inlinesFreely: false,
}

const PYTHON: SourceLanguage = {
  definition: (line, container) => {
    const found = /^(?:async\s+)?(?:def|cdef|cpdef)\s+(\w+)/.exec(line)
    return found === null ? null : within(container, found[1]!)
  },
  container: (line) => keywordName(line, /^class\s+/),
  comment: /^#/,
  noCode: /^(?:import|from)\s/,
  isIndented: true,
  inlines: null,
  inlinesFreely: false,
}

const LANGUAGES: readonly (readonly [SourceLanguage, string])[] = [
  [C, 'c cc cpp cxx c++ cu cppm m mm'],
  [BRACES, 'java kt kts scala cs swift js mjs cjs ts mts cts tsx jsx php'],
  [GO, 'go'],
  [RUST, 'rs'],
  [PYTHON, 'py pyx'],
]

const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([language, extensions]) => extensions.split(' ').map((one) => [one, language] as const)),
)

/** Endings of files that are compiled into whichever file includes them. */
const HEADERS: ReadonlySet<string> = new Set('h hh hpp hxx h++ inl ipp tpp tcc inc ixx cuh def pxd'.split(' '))

/** Null: nobody here knows what functions look like in such a file. */
export function languageOf(path: string): SourceLanguage | null {
  if (isHeader(path)) return C
  return BY_EXTENSION.get(extensionOf(path)?.toLowerCase() ?? '') ?? null
}

export function isHeader(path: string): boolean {
  return HEADERS.has(extensionOf(path)?.toLowerCase() ?? '')
}

function within(container: string | null, name: string): readonly string[] {
  return container === null ? [name] : [container, name]
}

function functionKeyword(line: string, container: string | null): readonly string[] | null {
  const found =
    /^(?:(?:export|default|async|public|private|protected|internal|override|static|suspend|final|open|inline)\s+)*(?:function\*?|fun|func|def)\s+(?:<[^>]{0,200}>\s*)?(\w+)/.exec(
      line,
    )
  return found === null ? null : within(container, found[1]!)
}

/**
 * `void Aggregator::executeImpl(`: a name with parameters, after a type or qualified by what it is in. Not a declaration, a
 * call, a macro that is used, or something that is given a value.
 */
function definitionInC(line: string, container: string | null): readonly string[] | null {
  if (STATEMENT.test(line) || /^[^\w~(:<@[]/.test(line)) return null
  const scanned = scannedName(line)
  if (scanned === null || scanned.parameters === -1) return null
  const rest = line.slice(scanned.parameters)
  if (/;\s*(?:\/\/.*)?$/.test(rest) && !/=\s*(?:default|delete)\s*;|\}\s*;?\s*$/.test(rest)) return null
  const parts = scanned.parts.map(({ text }) => text)
  const [name] = parts.slice(-1)
  if (name === undefined || scanned.parts.some(({ after }) => after !== '' && after !== '::')) return null
  const isOfClass = parts.length > 1 || (container !== null && name.replace('~', '') === container)
  if (!scanned.hasPrefix && !isOfClass && !/\{\s*$/.test(rest)) return null
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && !scanned.hasPrefix) return null
  return parts.length > 1 || container === null ? parts : [container, ...parts]
}

/** The name in front of the `(` of a line, where an `=` does not stand before it. */
function scannedName(line: string): Scanned | null {
  const text = line.replace(/^(?:(?:\[\[[^\]]{0,100}\]\]|@\w+|template\s*<.*>)\s*)+/, '')
  return new NameScanner(text).scan()
}

/** The name after a keyword: `class Aggregator final : public X {`. Empty for an anonymous one, null for a declaration. */
function keywordName(line: string, keyword: RegExp): readonly string[] | null {
  const found = keyword.exec(line)
  if (found === null || /;\s*(?:\/\/.*)?$/.test(line)) return null
  return nameAt(line.slice(found[0].length))
}

function nameAt(text: string): readonly string[] {
  // attributes and exported macros stand before the name, `final` after it
  const words = /^\s*((?:[A-Z][A-Z0-9_]*(?:\([^)]{0,100}\))?\s+(?=\w))*)([\w$]+(?:::[\w$]+)*)/.exec(text)
  return words === null ? [] : words[2]!.split('::')
}
