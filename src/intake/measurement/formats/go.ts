import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { nameOfText } from './format.ts'
import { WholeText } from './whole-text.ts'

const MOST_CHARACTERS = 64 * 1024 * 1024

/** `BenchmarkFib10-8   5000000   325 ns/op`, the lines before it, and the line that ends a package. */
const GO_LINE =
  /^(?:Benchmark\S*\s+\d+\s+[\d.]\S*\s+\S+|(?:goos|goarch|pkg): \S+|(?:ok|FAIL|\?) {0,4}\t\S+(?:\t| \[)|Unit \S+ \w+=)/m
const TEST2JSON = /^\{"(?:Time|Action)":.*"Action":"\w+"|^\{"Action":"\w+"/m

/**
 * What `go test -bench` prints, as text or by `-json`: several lines of one benchmark (`-count`) are its samples. A
 * configuration line with the word old, new, before, after, base or head says of which side the lines after it are.
 */
export const go: Format = {
  name: 'go',
  companion: false,
  looksFor: 'the output of go test -bench in a *.txt, *.log, *.out, *.bench or *.json',
  oneSided: true,
  decides: DECIDING_METRICS,
  matchesName: nameOfText,
  matchesContent: (head) => GO_LINE.test(head) || TEST2JSON.test(head),
  claim: () => null,
  reader: async (context) => {
    const { goOutput } = await import('./go-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => goOutput(text, context))
  },
}
