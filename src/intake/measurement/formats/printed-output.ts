import { DECIDING_METRICS } from '../units.ts'
import { type Contribution, type Format, nameOfJson, type ReaderContext } from './format.ts'
import { jsonReader, WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

interface PrintedOutput {
  readonly name: string
  /** Whose output it is, for messages. */
  readonly of: string
  /** A line that only this tool prints. */
  readonly line: RegExp
  /** Loads what reads it. */
  readonly load: () => Promise<(text: string, context: ReaderContext) => Contribution>
}

/** The format of what a tool prints of one side, kept in a file by whoever ran it. */
export function printedOutput({ name, of, line, load }: PrintedOutput): Format {
  return {
    name,
    companion: false,
    looksFor: `the output of ${of} in a *.txt, *.log or *.out`,
    oneSided: true,
    needsSide: true,
    decides: DECIDING_METRICS,
    matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
    matchesContent: (head) => line.test(head),
    claim: () => null,
    reader: async (context) => {
      const read = await load()
      return new WholeText(MOST_CHARACTERS, (text) => read(text, context))
    },
  }
}

interface WrittenJson {
  readonly name: string
  readonly looksFor: string
  readonly decides?: readonly string[]
  readonly matchesContent: (head: string) => boolean
  readonly load: () => Promise<(text: string, context: ReaderContext) => Contribution>
}

/** The format of a document of one side that a tool writes. */
export function writtenJson({ load, decides = DECIDING_METRICS, ...of }: WrittenJson): Format {
  return {
    ...of,
    companion: false,
    oneSided: true,
    needsSide: true,
    decides,
    matchesName: nameOfJson,
    claim: () => null,
    reader: async (context) => {
      const read = await load()
      return jsonReader((text) => read(text, context))
    },
  }
}
