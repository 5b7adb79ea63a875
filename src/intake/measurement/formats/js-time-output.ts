import { Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'
import { javascriptOf } from './said-environment.ts'

/** Reads what `js-time.ts` recognises, and is loaded only where there is such a file. */

export function jsTimeOutput(text: string, context: ReaderContext, timed: RegExp): Contribution {
  const benchmarks = new Benchmarks(context)
  // Bun's line ends in the label
  const isWhole = (last: string) => timed.test(last) && !/^\[\d/.test(last)
  for (const line of wholeLines(text, isWhole, context)) {
    const platform = javascriptOf(line)
    if (platform !== null) benchmarks.in(platform)
    const found = timed.exec(line)
    if (found === null) continue
    const [, label, number, unit, hours, minutes, seconds, ofBun, unitOfBun, labelOfBun] = found
    const of = metricOfUnit(unit ?? unitOfBun ?? 's')
    const value =
      minutes === undefined
        ? inBaseUnit(number ?? ofBun!, of)
        : // a sum of whole milliseconds
          Number(((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)).toFixed(3))
    // each execution is measured: the same label again is another sample
    if (value !== null)
      benchmarks.sample({ test: 'js-time', name: label ?? labelOfBun!, metric: 'time', unit: 's' }, value)
  }
  return benchmarks.contribution('time of console.time')
}
