/** A part of a name and what stood before it: `::`, `.`, `/`, `$`, `#`; empty at the beginning. */
export interface NamePart {
  readonly text: string
  readonly after: string
}

/** `<Vec<T> as Drop>::drop` inside one another. */
const MOST_NESTED = 4

const OPERATORS = [
  ...['->*', '<=>', '<<=', '>>='],
  ...['()', '[]', '->', '++', '--', '<<', '>>', '<=', '>=', '==', '!=', '&&', '||', '+=', '-=', '*=', '/=', '%='],
  ...['^=', '&=', '|=', '+', '-', '*', '/', '%', '^', '&', '|', '~', '!', '=', '<', '>', ','],
]

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '<': '>', '[': ']', '{': '}' }

/** Types that are written like a call before the name of what they are the type of. */
const CALLED_TYPES: ReadonlySet<string> = new Set(['decltype', '__attribute__', 'alignas', 'noexcept', 'requires'])

export interface Scanned {
  readonly parts: readonly NamePart[]
  /** The name is followed by parameters: where their `(` stands; -1: by none. */
  readonly parameters: number
  /** Something stands before the name, such as its return type. */
  readonly hasPrefix: boolean
}

/** Reads a name from left to right, once: whatever the text is, it takes time in proportion to its length. */
export class NameScanner {
  readonly #text: string
  readonly #nested: number
  #at = 0
  #parts: NamePart[] = []
  /** The separator before the part that comes next; null right after a part. */
  #separator: string | null = ''
  #parameters = -1
  #hasPrefix = false

  constructor(text: string, nested = 0) {
    this.#text = text
    this.#nested = nested
  }

  /** The parts of the name; null where the text is none. */
  scan(): Scanned | null {
    for (;;) {
      if (this.#at >= this.#text.length) break
      const step = this.#step(this.#text[this.#at]!)
      if (step === 'no-name') return null
      if (step === 'end') break
    }
    return { parts: this.#parts, parameters: this.#parameters, hasPrefix: this.#hasPrefix }
  }

  #step(character: string): 'end' | 'no-name' | 'on' {
    if (isIdentifier(character)) return this.#identifier()
    if (isSpace(character)) return this.#space()
    switch (character) {
      case ':':
        // Java's compiler writes `io/netty/Recycler:.recycle`
        if (this.#startsWith(':.')) return this.#separate(':.')
        return this.#startsWith('::') ? this.#separate('::') : 'no-name'
      case '.':
      case '/':
      case '#':
        return this.#separate(character)
      case '$':
        return this.#separator !== null && /^\$_\d/.test(this.#text.slice(this.#at, this.#at + 3))
          ? this.#lambda()
          : this.#separate('$')
      case '*':
      case '&':
      case '!':
        return this.#startAgain(1)
      case '`':
        if (this.#startsWith('`anonymous')) return this.#skipTo("'")
        return this.#startAgain(1)
      case "'":
        return this.#startsWith("'lambda")
          ? this.#lambda()
          : this.#startsWith("'unnamed")
            ? this.#skipTo("'")
            : 'no-name'
      case '<':
        return this.#template()
      case '[':
        return this.#separator === null ? this.#skip() : this.#parts.length === 0 ? 'no-name' : 'end'
      case '{':
        if (this.#startsWith('{lambda') || this.#startsWith('{closure') || this.#startsWith('{{closure')) {
          return this.#lambda()
        }
        return this.#skip()
      case '(':
        return this.#separator === null ? this.#parameterList() : this.#parenthesis()
      case '@':
      case '+':
        return this.#parts.length === 0 ? 'no-name' : 'end'
      default:
        return 'no-name'
    }
  }

  #identifier(): 'end' | 'on' {
    const start = this.#at
    const end = identifierEnd(this.#text, start)
    const text = this.#text.slice(start, end)
    // two names without anything between them: the one before was none
    if (this.#separator === null) this.#startAgain(0)
    this.#at = end
    const before = this.#parts.at(-1)
    if (this.#separator === '$' && before?.text === 'lambda') {
      this.#parts[this.#parts.length - 1] = { text, after: before.after }
      return 'end'
    }
    const operator = text === 'operator' ? this.#operator() : null
    this.#parts.push({ text: operator ?? text, after: this.#separator ?? '' })
    this.#separator = null
    return 'on'
  }

  /** The text after `operator`: its sign, or the type that it converts to. Null: it is a name like others. */
  #operator(): string | null {
    const text = this.#text
    const start = skipSpaces(text, this.#at)
    const sign = OPERATORS.find((one) => text.startsWith(one, start))
    if (sign !== undefined) {
      this.#at = start + sign.length
      return `operator${sign}`
    }
    if (text.startsWith('""', start)) {
      const name = skipSpaces(text, start + 2)
      this.#at = identifierEnd(text, name)
      return `operator""${text.slice(name, this.#at)}`
    }
    if (start === this.#at) return null
    let end = identifierEnd(text, start)
    if (end === start) return null
    const word = text.slice(start, end)
    if (word === 'new' || word === 'delete') {
      this.#at = text.startsWith('[]', end) ? end + 2 : end
      return `operator ${text.slice(start, this.#at)}`
    }
    while (text.startsWith('::', end) && identifierEnd(text, end + 2) > end + 2) end = identifierEnd(text, end + 2)
    // the rest of the type, such as `const&`
    this.#at = end
    while (this.#at < text.length && text[this.#at] !== '(') {
      this.#at = text[this.#at] === '<' ? balancedEnd(text, this.#at) : this.#at + 1
    }
    return `operator ${text.slice(start, end)}`
  }

  #space(): 'end' | 'on' {
    const text = this.#text
    this.#at = skipSpaces(text, this.#at)
    const next = text[this.#at]
    if (this.#parts.length === 0 || next === undefined) return 'on'
    if (next === '<' && this.#separator === null) return 'on'
    if (next === '[' || next === '+' || next === '@') return 'end'
    if (next === '{' && !this.#startsWith('{lambda')) return 'end'
    if (next === '(' && !['(anonymous', '(lambda', '(*'].some((start) => this.#startsWith(start))) {
      if (this.#separator === null) this.#parameters = this.#at
      return 'end'
    }
    return this.#startAgain(0)
  }

  #separate(separator: string): 'on' {
    this.#at += separator.length
    this.#separator = separator
    return 'on'
  }

  /** Text that was read until here is no part of the name. */
  #startAgain(characters: number): 'on' {
    this.#hasPrefix ||= this.#parts.length > 0
    this.#parts = []
    this.#separator = ''
    this.#at += characters
    return 'on'
  }

  /** The name is that of the function which the lambda is in. */
  #lambda(): 'end' | 'no-name' {
    return this.#parts.length === 0 ? 'no-name' : 'end'
  }

  #skip(): 'on' {
    this.#at = balancedEnd(this.#text, this.#at)
    return 'on'
  }

  #skipTo(character: string): 'on' {
    const end = this.#text.indexOf(character, this.#at + 1)
    this.#at = end === -1 ? this.#text.length : end + 1
    return 'on'
  }

  /** Arguments of a template; at the beginning of a name Rust's `<Type as Trait>::`. */
  #template(): 'no-name' | 'on' {
    const end = balancedEnd(this.#text, this.#at)
    if (this.#separator !== null && this.#parts.length === 0) {
      if (!this.#text.startsWith('::', end) || this.#nested >= MOST_NESTED) return 'no-name'
      const inner = this.#text.slice(this.#at + 1, end - 1)
      const type = inner.slice(0, endOfType(inner))
      const found = new NameScanner(type, this.#nested + 1).scan()
      this.#parts = [...(found?.parts ?? [])]
      this.#separator = null
    }
    this.#at = end
    return 'on'
  }

  /** A `(` where a part should begin. */
  #parenthesis(): 'end' | 'no-name' | 'on' {
    if (this.#startsWith('(anonymous')) return this.#skip()
    if (this.#startsWith('(lambda')) return this.#lambda()
    if (this.#startsWith('(*')) {
      // Go's receiver
      const start = this.#at + 2
      const end = identifierEnd(this.#text, start)
      if (end > start) {
        this.#parts.push({ text: this.#text.slice(start, end), after: this.#separator ?? '' })
        this.#separator = null
        return this.#skip()
      }
    }
    return this.#parts.length === 0 ? 'no-name' : 'end'
  }

  /** A `(` after a part. What follows it may be inside the function: `f(int)::{lambda()#1}::operator()() const`. */
  #parameterList(): 'end' | 'on' {
    const { text } = this.#parts.at(-1)!
    if (this.#parts.length === 1 && CALLED_TYPES.has(text)) {
      this.#at = balancedEnd(this.#text, this.#at)
      return this.#startAgain(0)
    }
    this.#parameters = this.#at
    let at = balancedEnd(this.#text, this.#at)
    for (;;) {
      at = skipSpaces(this.#text, at)
      if (this.#text[at] === '[') at = balancedEnd(this.#text, at)
      else if (this.#text[at] === '&') at += 1
      else {
        const end = identifierEnd(this.#text, at)
        if (end === at || !QUALIFIERS.has(this.#text.slice(at, end))) break
        at = end
      }
    }
    if (!this.#text.startsWith('::', at)) return 'end'
    this.#at = at
    this.#parameters = -1
    return 'on'
  }

  #startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }
}

const QUALIFIERS: ReadonlySet<string> = new Set(['const', 'volatile', 'noexcept'])

function isSpace(character: string): boolean {
  return character <= '\u007f' ? ASCII[character.charCodeAt(0)] === 'space' : /\s/.test(character)
}

function isIdentifier(character: string): boolean {
  return character <= '\u007f' ? ASCII[character.charCodeAt(0)] === 'identifier' : !/\s/.test(character)
}

/** The class of each character of ASCII, looked up for every character of a profile. */
const ASCII = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return /[\w~]/.test(character) ? 'identifier' : /\s/.test(character) ? 'space' : 'other'
})

/** A hyphen inside a name is part of it: paths of Go have such. */
function identifierEnd(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const character = text[at]!
    const isInner = character === '-' && at > start && at + 1 < text.length && isIdentifier(text[at + 1]!)
    if (!isInner && !isIdentifier(character)) break
    at += 1
  }
  return at
}

function skipSpaces(text: string, start: number): number {
  let at = start
  while (at < text.length && isSpace(text[at]!)) at += 1
  return at
}

/** After the bracket that closes the one at `start`; the end of the text where none does. */
function balancedEnd(text: string, start: number): number {
  const open: string[] = []
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!
    const closer = CLOSERS[character]
    if (closer !== undefined) {
      open.push(closer)
      continue
    }
    // `->` closes nothing
    if (character === '>' && text[at - 1] === '-') continue
    if (character === ')' || character === ']' || character === '}') {
      // a `<` before it was a sign
      while (open.length > 1 && open.at(-1) === '>') open.pop()
    }
    if (character === open.at(-1)) open.pop()
    if (open.length === 0) return at + 1
  }
  return text.length
}

/** Where ` as Trait` begins, outside of all brackets. */
function endOfType(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    if (text.startsWith(' as ', at)) return at
    if (CLOSERS[text[at]!] !== undefined) at = balancedEnd(text, at) - 1
  }
  return text.length
}
