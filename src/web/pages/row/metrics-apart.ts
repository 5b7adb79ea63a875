import { html } from 'hono/html'
import { MEASUREMENT_WORDS } from '../../../render/glossary.ts'
import { plainText } from '../../../text/markdown.ts'
import { count } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { word } from '../../kit/word.ts'
import { medianWords } from './metric-medians.ts'
import { METRIC_LENGTH, type Metric, unitOf } from './plotted-metric.ts'

/** Metrics that are named in the sentence. */
const NAMED = 5

/**
 * What is another in every repetition of the new build, the largest ratio first: what happens now and never did before is a
 * cause, and no correlation within a side finds it, since it is the same in each repetition. Times are left out: they are
 * what is to be explained. `metrics` are sorted by surprise. Empty where there is none.
 */
export function apart(metrics: readonly Metric[], primary: string): Html | string {
  const found = metrics.filter(
    ({ metric, separated, moved, group }) => separated === true && moved && group !== 'time' && metric !== primary,
  )
  if (found.length === 0) return ''
  const named = found
    .slice(0, NAMED)
    .map(
      (one, index) =>
        html`${index === 0 ? '' : ', '}<bdi>${plainText(one.metric, METRIC_LENGTH)}</bdi> ${medianWords(one.oldMedian!, unitOf(one))} → ${medianWords(one.newMedian!, unitOf(one))}`,
    )
  const more = found.length - NAMED
  return html`<p>Changed in every repetition, without ${word(MEASUREMENT_WORDS.overlap.term)}, the largest ratio first: ${named}${more > 0 ? ` and ${count(more)} more` : ''}.</p>`
}
