import type { ChangeStep } from './change-step.ts'

/** The colours of one theme, as `#rrggbb`. */
export interface FlamePalette {
  readonly page: string
  readonly text: string
  readonly muted: string
  readonly line: string
  /** Of the words in a frame, on every fill. */
  readonly label: string
  /** The outline of what was searched for, of what has the focus. */
  readonly mark: string
  readonly fills: Readonly<Record<ChangeStep, string>>
}

/**
 * Orange is more, blue is less: the pair that people with any common colour blindness tell apart. The further from no
 * change, the further the lightness is from that of the page; and the label's sign says the direction without colours.
 */
export const LIGHT_PALETTE: FlamePalette = {
  page: '#ffffff',
  text: '#1b2026',
  muted: '#525c68',
  line: '#ffffff',
  label: '#14181d',
  mark: '#7a1fa2',
  fills: {
    [-3]: '#4b8fd6',
    [-2]: '#8fbdec',
    [-1]: '#cfe3f8',
    0: '#e4e7eb',
    1: '#fde0c0',
    2: '#f9b566',
    3: '#e57f12',
  },
}

export const DARK_PALETTE: FlamePalette = {
  page: '#14181d',
  text: '#e4e8ed',
  muted: '#a5afbb',
  line: '#14181d',
  label: '#f5f7fa',
  mark: '#e6a8ff',
  fills: {
    [-3]: '#2e6bbd',
    [-2]: '#27507f',
    [-1]: '#253a52',
    0: '#333a43',
    1: '#4d3a24',
    2: '#7a4a12',
    3: '#a85a00',
  },
}
