import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { flameStyle } from '../../judge/profile/flame-style.ts'

/** Styles and scripts of the pages, read once and addressed by their content. */

export interface Asset {
  /** Holds a hash of the content, so that it may be cached for ever. */
  readonly path: string
  readonly type: string
  readonly content: string
}

const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

function asset(name: string, type: string, content: string): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return { path: `/assets/${hash}/${name}`, type, content }
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

/** A file of a package, from where it is installed. */
function readPackaged(path: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(path), 'utf8')
}

export const STYLE = asset('style.css', CSS, read('./style.css'))
export const ICON = asset('icon.svg', 'image/svg+xml', read('./icon.svg'))
export const FLAME_GRAPH_STYLE = asset('flame-graph.css', CSS, flameStyle())
export const FLAME_GRAPH_SCRIPT = asset('flame-graph.js', JAVASCRIPT, read('../../judge/profile/flame-graph-script.js'))
export const UPLOT_STYLE = asset('uplot.css', CSS, readPackaged('uplot/dist/uPlot.min.css'))
export const UPLOT_SCRIPT = asset('uplot.js', JAVASCRIPT, readPackaged('uplot/dist/uPlot.esm.js'))
/** The script imports uPlot by the name of its package, which no browser knows. */
export const HISTORY_CHART_SCRIPT = asset(
  'history-chart.js',
  JAVASCRIPT,
  read('./history-chart.js').replace("from 'uplot'", `from '${UPLOT_SCRIPT.path}'`),
)
export const REPORT_SCRIPT = asset('report.js', JAVASCRIPT, read('./report.js'))
/** Wherever there is a *Reproduce*, or lines to paste. */
export const COPY_SCRIPT = asset('copy.js', JAVASCRIPT, read('./copy.js'))
export const ASSETS: readonly Asset[] = [
  REPORT_SCRIPT,
  COPY_SCRIPT,
  UPLOT_STYLE,
  UPLOT_SCRIPT,
  HISTORY_CHART_SCRIPT,
  STYLE,
  ICON,
  FLAME_GRAPH_STYLE,
  FLAME_GRAPH_SCRIPT,
]
