import { html, raw } from 'hono/html'
import { plainText } from '../../../text/markdown.ts'
import { withPrimary } from '../../../verdict/query-metrics.ts'
import { onArchitecture } from '../../kit/architecture-name.ts'
import { scatterPlot } from '../../kit/charts/scatter-plot.ts'
import type { Html } from '../../kit/layout.ts'
import { correlationWords } from './correlation-words.ts'
import { AXIS_LENGTH, canPlot, METRIC_LENGTH, unitOf } from './plotted-metric.ts'
import type { RowView } from './row-view.ts'
import { type MeasuredResult, primaryOf } from './shown-row.ts'

/** One metric against the time, repetition by repetition. */
export function repetitions(measured: MeasuredResult, view: RowView): Html | string {
  const primary = primaryOf(measured)
  const candidates = measured.metrics.filter((metric) => metric !== primary && canPlot(metric, primary ?? undefined))
  const asked = view.metric === null ? undefined : candidates.find(({ metric }) => metric === view.metric)
  const chosen = asked ?? withPrimary(candidates)[0] ?? candidates[0]
  const heading = html`<h3 id="repetitions">Repetitions</h3>`
  if (primary === null || primary.samples === null || chosen === undefined || chosen.samples === null) {
    return html`${heading}<p>There are no repetitions of another metric to draw.</p>`
  }
  const points = (side: 'old' | 'new') =>
    chosen.samples![side].map((x, index) => ({ x, y: primary.samples![side][index]! }))
  const [name, time] = [plainText(chosen.metric, AXIS_LENGTH), plainText(primary.metric, AXIS_LENGTH)]
  const finding = correlationWords(chosen.withPrimary, name, time)
  const plot = scatterPlot({
    id: 'scatter',
    title: `${time} of each repetition against ${name}${onArchitecture(measured.result.architecture)}`,
    x: { metric: name, unit: unitOf(chosen) },
    y: { metric: time, unit: unitOf(primary) },
    old: points('old'),
    new: points('new'),
    finding,
  })
  return html`${heading}
${view.metric !== null && asked === undefined ? html`<p>No repetitions of <bdi>${plainText(view.metric, METRIC_LENGTH)}</bdi> can be drawn; this is another metric.</p>` : ''}
<p>Did <b><bdi>${plainText(chosen.metric, METRIC_LENGTH)}</bdi></b> go up and down with the time? ${finding} That two things go together does not say which of them is the cause. Choose another metric in the table below.</p>
${plot === null ? '' : html`<figure class="chart-frame">${raw(plot)}<figcaption>Ring: old. Square: new. Each is one repetition.</figcaption></figure>`}`
}
