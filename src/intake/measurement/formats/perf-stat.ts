import type { Format } from './format.ts'
import { CSV_LINE, HEADER, INTERVALS_HEADER, JSON_LINE, TIME_LINE } from './perf-stat-lines.ts'
import { WholeText } from './whole-text.ts'

/** `perf list` has some thousand events; one line of output for each has far less than this. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/**
 * Counters of a whole program: the output of `perf stat` as text, as CSV (`-x,`) or as JSON (`-j`), and the three lines of
 * `time`. A file has one side; the same program several times in it, or in several files, are repetitions. With `-r` the
 * output is the mean of the runs and its spread, which is a summary, and with `--table` their times. Intervals (`-I`) and CPUs (`-A`,
 * `--per-core`) are added up.
 */
export const perfStat: Format = {
  name: 'perf-stat',
  companion: false,
  looksFor: 'the output of perf stat or time in a *.txt, *.log, *.csv, *.json, *.perf, *.stat or *.time',
  oneSided: true,
  needsSide: true,
  decides: ['real', 'task-clock', 'cpu-clock', 'cycles', 'instructions'],
  comparesPrograms: true,
  matchesName: (fileName) => (/\.(?:txt|log|csv|jsonl?|perf|stat|time)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) =>
    HEADER.test(head) ||
    INTERVALS_HEADER.test(head) ||
    CSV_LINE.test(head) ||
    JSON_LINE.test(head) ||
    TIME_LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { PerfStatOutput } = await import('./perf-stat-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => new PerfStatOutput(context).read(text))
  },
}
