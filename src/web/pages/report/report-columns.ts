import { html } from 'hono/html'
import { MEASUREMENT_WORDS, type Word } from '../../../render/glossary.ts'
import type { Html } from '../../kit/layout.ts'
import { explained } from '../../kit/word.ts'
import { type ReportView, type SortKey, viewPath } from './report-view.ts'

export interface Column {
  readonly title: string
  readonly sort?: SortKey
  readonly isNumber?: boolean
  /** What it is, linked to what that means. */
  readonly hint?: string
  readonly word?: Word
}

const WORDS = MEASUREMENT_WORDS

export const COLUMNS: readonly Column[] = [
  { title: 'Architecture', sort: 'test' },
  { title: 'Outcome', sort: 'worst' },
  { title: 'Old', sort: 'old', isNumber: true, hint: 'median × repetitions', word: WORDS.old },
  { title: 'New', sort: 'new', isNumber: true, hint: 'median × repetitions', word: WORDS.new },
  { title: 'Difference', sort: 'difference', isNumber: true, hint: 'of the medians', word: WORDS.difference },
  { title: 'Threshold', sort: 'threshold', isNumber: true, hint: 'of 1 % by noise', word: WORDS.threshold },
  { title: 'p', sort: 'p', isNumber: true, hint: 'randomization test', word: WORDS.pValue },
  { title: 'Rank p', sort: 'rank-p', isNumber: true, hint: 'Mann-Whitney', word: WORDS.rankPValue },
  { title: 'q', sort: 'q', isNumber: true, hint: 'Benjamini-Hochberg', word: WORDS.qValue },
  { title: 'Overlap', hint: 'of the samples', word: WORDS.overlap },
  { title: 'Flagged from', isNumber: true, hint: 'and its source', word: WORDS.flaggedFrom },
  { title: 'Unstable from', isNumber: true, hint: 'and its source', word: WORDS.unstableFrom },
  { title: 'Notes' },
]

/** The head of a column of the report: sorts by it, or the other way round. */
export function columnHead(column: Column, view: ReportView, path: string): Html {
  const { title, sort, isNumber } = column
  const isSorted = sort !== undefined && sort === view.sort
  // Numbers stand largest first, p-values and names smallest first.
  const ascending = sort === 'p' || sort === 'rank-p' || sort === 'q' || sort === 'test'
  const sorted =
    !isSorted || sort === 'worst' ? '' : html` aria-sort="${ascending !== view.reverse ? 'ascending' : 'descending'}"`
  const name = sort === 'test' ? 'Query, architecture' : title
  const text =
    sort === undefined
      ? name
      : html`<a href="${viewPath(path, { ...view, sort, reverse: isSorted && !view.reverse, page: 1 })}#rows">${name}${isSorted ? html` <span aria-hidden="true">${view.reverse ? '▴' : '▾'}</span>` : ''}</a>`
  return html`<th scope="col"${isNumber ? html` class="n"` : ''}${sorted}>${text}${hintOf(column)}</th>`
}

/** The head of a column of one query, which has nothing to sort. */
export function plainColumnHead(column: Column): Html {
  return html`<th scope="col"${column.isNumber ? html` class="n"` : ''}>${column.title}${hintOf(column)}</th>`
}

function hintOf({ hint, word }: Column): Html | string {
  if (hint === undefined) return ''
  return html` <small>${word === undefined ? hint : explained(word, hint)}</small>`
}
