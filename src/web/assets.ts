import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface Asset {
  /** Holds a hash of the content, so that it may be cached for ever. */
  readonly path: string
  readonly type: string
  readonly content: string
}

function asset(name: string, type: string): Asset {
  const content = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return { path: `/assets/${hash}/${name}`, type, content }
}

export const STYLE = asset('style.css', 'text/css; charset=utf-8')
export const ICON = asset('icon.svg', 'image/svg+xml')
export const ASSETS: readonly Asset[] = [STYLE, ICON]
