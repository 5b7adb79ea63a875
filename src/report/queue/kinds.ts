/** Kinds of things that wait for a person. */
export const QUEUE_KINDS = ['red-check', 'failing-test', 'trunk-step', 'expired-acceptance', 'expired-entry'] as const
export type QueueKind = (typeof QUEUE_KINDS)[number]

export const QUEUE_WORDS: Readonly<Record<QueueKind, string>> = {
  'failing-test': 'failing test',
  'red-check': 'red check',
  'trunk-step': 'step on the main branch',
  'expired-acceptance': 'expired acceptance',
  'expired-entry': 'expired ledger entry',
}
