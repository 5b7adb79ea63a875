import type { Conclusion } from '../own-report.ts'
import type { OwnQuery } from '../own-verdict.ts'
import { type Contribution, NOTHING } from './format.ts'

/** The words in which the files of ClickHouse's check conclude. */

/** A message is a part of a line for a person. */
const LONGEST_MESSAGE = 500

export function said(conclusion: Omit<Conclusion, 'kind'>): Contribution {
  return { ...NOTHING, own: { kind: 'conclusion', ...conclusion } }
}

/** null: another word, which says nothing of the measurements, such as `skipped`. */
export function statusOf(text: string | undefined): 'success' | 'failure' | null {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === 'ok' || word === 'success') return 'success'
  return ['fail', 'failure', 'error'].includes(word) ? 'failure' : null
}

export function messageOf(text: string | null | undefined): string | null {
  const message = text?.trim().slice(0, LONGEST_MESSAGE) ?? ''
  return message === '' ? null : message
}

/** `lazy_final_early_exit_limit #0` */
export function queryOf({ name }: { readonly name: string }): OwnQuery[] {
  const [, test, index] = /^(.+) #(\d{1,9})$/.exec(name) ?? []
  return test === undefined ? [] : [{ test, queryIndex: Number(index) }]
}
