import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { flameStyle } from '../profile/flame-style.ts'

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

export const STYLE = asset('style.css', CSS, read('./assets/style.css'))
export const ICON = asset('icon.svg', 'image/svg+xml', read('./assets/icon.svg'))
export const FLAME_GRAPH_STYLE = asset('flame-graph.css', CSS, flameStyle())
export const FLAME_GRAPH_SCRIPT = asset('flame-graph.js', JAVASCRIPT, read('../profile/flame-graph-script.js'))
export const ASSETS: readonly Asset[] = [STYLE, ICON, FLAME_GRAPH_STYLE, FLAME_GRAPH_SCRIPT]
