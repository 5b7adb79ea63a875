import { html, raw } from 'hono/html'
import type { Theme } from '../../../report/urls.ts'
import type { Html } from '../layout.ts'

/** The colours of the style sheet, which a picture that stands alone does not have. */
export const PICTURE_COLOURS = {
  light: { slower: '#a8201a', faster: '#14653a', muted: '#525c68', line: '#cfd6de', text: '#1b2026' },
  dark: { slower: '#ff9a92', faster: '#7fd6a2', muted: '#a5afbb', line: '#3a434e', text: '#e4e8ed' },
} as const satisfies Record<Theme, Readonly<Record<string, string>>>

export interface PictureFile {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** What it shows, in words. */
  readonly words: string
  /** Its style sheet, by the colours of a theme. */
  readonly style: (colours: (typeof PICTURE_COLOURS)[Theme]) => string
  readonly shapes: Html
}

/** An SVG file that stands alone, on whatever is behind it. */
export function pictureFile({ width, height, words, style, shapes }: PictureFile, theme: Theme): Html {
  const colours = PICTURE_COLOURS[theme]
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}">
<style>${raw(`text{font:12px system-ui,sans-serif;fill:${colours.muted}}${style(colours)}`)}</style>
${shapes}
</svg>
`
}
