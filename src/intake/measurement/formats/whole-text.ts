import { type Contribution, MemberError, type MemberReader } from './format.ts'

/** Reads a member as one text, up to so many characters, for a format that is no sequence of lines. */
export class WholeText implements MemberReader {
  readonly #most: number
  /** A document may be one line. */
  readonly lineLength: number
  readonly #read: (text: string) => Contribution
  readonly #lines: string[] = []
  #length = 0

  constructor(most: number, read: (text: string) => Contribution) {
    this.#most = most
    this.lineLength = most
    this.#read = read
  }

  line(text: string, _number: number, ended: boolean): void {
    this.#length += text.length + 1
    if (this.#length > this.#most) {
      throw new MemberError(`it has more than ${this.#most.toLocaleString('en')} characters`)
    }
    this.#lines.push(ended ? `${text}\n` : text)
  }

  end(stopped: boolean): Contribution {
    if (stopped) throw new MemberError('it was not read completely')
    return this.#read(this.#lines.join(''))
  }
}

/** Characters of a document; a real one with the samples of a thousand benchmarks has a tenth of it. */
const MOST_DOCUMENT = 64 * 1024 * 1024

/** Reads a member that is one JSON document, within bounds. */
export function jsonReader(read: (text: string) => Contribution): WholeText {
  return new WholeText(MOST_DOCUMENT, (text) => read(withoutPreamble(text)))
}

/** The document without what `npm run` prints before it: `> engine@1.0.0 bench`, `> node bench.js`. */
export function withoutPreamble(text: string): string {
  return text.replace(/^\s{0,100}(?:> [^\n]{0,1000}\n){1,10}\s{0,100}(?=[[{])/, '')
}
