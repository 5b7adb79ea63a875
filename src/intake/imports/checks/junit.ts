import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type CiResultsFormat, type ReadContext, ReadStopped } from '../format.ts'
import type { CheckRow } from './check-row.ts'
import type { GivenValues } from './given-values.ts'
import { JunitRows } from './junit-rows.ts'
import { xmlText } from './xml-text.ts'

/** Elements inside each other; suites of suites reach ten. */
const DEEPEST = 200

/** Characters of one text or comment, with the instructions in it: the parser holds it until its end. */
const LONGEST_TEXT = 64 * 1024 * 1024
/** Characters of one tag: messages stand in attributes, whole outputs do not. */
const LONGEST_TAG = 4 * 1024 * 1024

/**
 * JUnit XML as it is written by many tools: `testsuite` in any depth, `testcase` with `failure`, `error`, `skipped`, and
 * Surefire's retries. It knows neither commit nor check. Entities that a document defines are never expanded.
 */
export const junit: CiResultsFormat = {
  name: 'junit',
  looksFor: 'JUnit XML',
  matches: (head) => /^\s*</.test(head.slice(0, 1000)),
  problem: (head, given) => rootProblem(head) ?? missing(given),
  read,
}

/** The document is XML of another kind. */
function rootProblem(head: string): string | null {
  const root = xmlRoot(head)
  if (root === null || isSuite(localName(root))) return null
  return `the root element is <${root.slice(0, 60)}>, but JUnit XML has <testsuites> or <testsuite>`
}

function missing(given: GivenValues): string | null {
  const options = [given.checkName === null ? '--check NAME' : '', given.commitSha === null ? '--sha SHA' : '']
  const needed = options.filter((option) => option !== '')
  if (needed.length === 0) return null
  const what = needed.length === 2 ? 'check and commit' : given.checkName === null ? 'check' : 'commit'
  return `JUnit XML does not say which ${what} it belongs to; give ${needed.join(' and ')}`
}

async function* read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<readonly CheckRow[]> {
  const document = new JunitDocument(context)
  const replaced = () =>
    context.warn('invalid-value', null, 'it has control characters, which XML does not allow: replaced')
  const unknown = (label: string) => context.warn('invalid-value', null, `unknown encoding "${label}": read as UTF-8`)
  try {
    for await (const text of xmlText(bytes, replaced, unknown)) {
      document.write(text)
      yield document.takeRows()
    }
    document.close()
  } catch (error) {
    // what was read before the error comes first
    yield document.takeLastRows()
    throw error
  }
  yield document.takeLastRows()
}

/** Feeds the parser, and stops it where it would cost too much. */
class JunitDocument {
  readonly #context: ReadContext
  readonly #parser = new SaxesParser({ xmlns: false, position: true })
  readonly #rows: JunitRows
  #depth = 0
  /** Characters since the parser last gave something up. */
  #held = 0
  #isInTag = false
  #tolerated = 0

  constructor(context: ReadContext) {
    this.#context = context
    this.#rows = new JunitRows(context)
    const parser = this.#parser
    parser.on('error', (error) => this.#fail(error.message.replace(/^\d+:\d+: /, '')))
    parser.on('opentagstart', () => {
      this.#held = 0
      this.#isInTag = true
    })
    parser.on('opentag', (tag) => this.#open(tag))
    parser.on('closetag', () => this.#close())
    parser.on('comment', () => {
      this.#held = 0
    })
    // The last but one: with an eighth listener V8 keeps the parser's fields in a dictionary, which reads eight times as slowly.
    parser.on('cdata', (text) => {
      this.#held = 0
      this.#rows.text(text)
    })
  }

  write(text: string): void {
    this.#parser.write(text)
    this.#held += text.length
    const longest = this.#isInTag ? LONGEST_TAG : LONGEST_TEXT
    if (this.#held > longest) {
      const message = `a ${this.#isInTag ? 'tag' : 'text'} is longer than ${longest.toLocaleString('en')} characters`
      throw new ReadStopped('limit-reached', this.#parser.line, `${message}; the rest is skipped`)
    }
  }

  close(): void {
    this.#parser.close()
    if (this.#tolerated > 1) {
      this.#context.warn(
        'invalid-value',
        null,
        `${this.#tolerated.toLocaleString('en')} characters that XML does not allow`,
      )
    }
  }

  takeRows(): readonly CheckRow[] {
    return this.#rows.take()
  }

  takeLastRows(): readonly CheckRow[] {
    return this.#rows.takeLast()
  }

  #open(tag: SaxesTagPlain): void {
    this.#held = 0
    this.#isInTag = false
    this.#depth += 1
    if (this.#depth > DEEPEST) {
      const message = `more than ${DEEPEST} nested elements; the rest is skipped`
      throw new ReadStopped('limit-reached', this.#parser.line, message)
    }
    const capturing = this.#rows.open(localName(tag.name), tag.attributes)
    // without a listener the parser keeps no text: outputs may be of any size
    if (capturing) this.#parser.on('text', (text) => this.#rows.text(text))
  }

  #close(): void {
    this.#held = 0
    this.#depth -= 1
    if (this.#rows.close()) this.#parser.off('text')
  }

  #fail(message: string): void {
    const at = `column ${this.#parser.column}: ${message.replace(/\.$/, '')}`
    // the parser leaves these as they stand, and what follows is as good as before
    if (/^(?:malformed character entity|undefined entity|the string "\]\]>")/.test(message)) {
      this.#tolerated += 1
      if (this.#tolerated === 1) this.#context.warn('invalid-value', this.#parser.line, `${at}: left as is`)
      return
    }
    throw new ReadStopped('malformed-line', this.#parser.line, `${at}; the rest is skipped`)
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function isSuite(name: string): boolean {
  return name === 'testsuites' || name === 'testsuite'
}

/**
 * The name of the root element of a document that begins like this; null when it is not reached. One pass: a hostile
 * beginning costs no more than its length.
 */
export function xmlRoot(head: string): string | null {
  let at = 0
  for (;;) {
    at = head.indexOf('<', at)
    if (at === -1) return null
    let end: number
    if (head.startsWith('<!--', at)) end = head.indexOf('-->', at + 4)
    else if (head.startsWith('<?', at)) end = head.indexOf('?>', at + 2)
    else if (head.startsWith('<!', at)) end = endOfDoctype(head, at)
    else return /^[^\s<>/=]{1,200}/.exec(head.slice(at + 1, at + 201))?.[0] ?? null
    if (end === -1) return null
    at = end + 1
  }
}

/** The end of a document type, whose internal subset stands in brackets. -1: not in what there is. */
function endOfDoctype(head: string, start: number): number {
  const bracket = head.indexOf('[', start)
  const end = head.indexOf('>', start)
  if (bracket === -1 || end < bracket) return end
  const subsetEnd = head.indexOf(']', bracket)
  return subsetEnd === -1 ? -1 : head.indexOf('>', subsetEnd)
}
