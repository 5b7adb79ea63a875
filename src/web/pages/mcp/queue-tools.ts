import { z } from 'zod'
import { queueOf } from '../../../bot/triage/queue.ts'
import { ENTRY_KINDS, ENTRY_STATES, type LedgerEntry } from '../../../judge/ledger/entry.ts'
import { entryLabel } from '../../../report/entry/columns.ts'
import { DEFAULT_QUEUE_DAYS, MOST_QUEUE_DAYS } from '../../../report/lookback.ts'
import { QUEUE_KINDS } from '../../../report/queue/kinds.ts'
import { emptySentence, nextStepOf, pullRequestOf } from '../../../report/queue/queue.ts'
import { ledgerPath, QUEUE_PATH } from '../../../report/urls.ts'
import { DEFAULT_LEDGER_VIEW } from '../../../store/ledger/found-entries.ts'
import { counted } from '../../../text/numbers.ts'
import { LONGEST_SEARCH } from '../../../text/searched-text.ts'
import { isoTime } from '../../../text/time.ts'
import { Sentences, untrusted, untrustedOrNull, untrustedText } from './outside.ts'
import { proof, repositoryNamed } from './sources.ts'
import { first, NO_REPOSITORY, REPOSITORY, tool } from './tool.ts'

const count = z.int().nonnegative()

export const queue = tool({
  name: 'queue',
  title: 'What waits for a person',
  description:
    'Red checks that nobody has explained, steps of the main branch that nobody has accepted, and what has expired, most urgent first.',
  input: {
    repository: REPOSITORY.optional().describe('owner/name; absent: all that may be seen.'),
    days: z.int().min(1).max(MOST_QUEUE_DAYS).default(DEFAULT_QUEUE_DAYS),
    kind: z.enum(QUEUE_KINDS).optional(),
  },
  output: {
    items: z.array(
      z.strictObject({
        kind: z.enum(QUEUE_KINDS),
        what: untrustedText,
        repository: untrustedText,
        pullRequest: count.nullable(),
        since: z.string(),
        next: z.string().describe('What to do.'),
      }),
    ),
  },
  async ask(sources, { repository: name, days, kind }) {
    const named = name === undefined ? null : await repositoryNamed(sources, name)
    if (name !== undefined && named === null) return NO_REPOSITORY
    const repositories = named === null ? await sources.repositories() : [named]
    const { store, queueMemory: memory, now } = sources
    const isWanted = (item: { readonly kind: string }) => kind === undefined || item.kind === kind
    const found = await queueOf(repositories, days, { store, memory, now: now(), isWanted })
    const asked = new URLSearchParams({ days: String(days), ...(name !== undefined && { repository: name }) })
    const options = [`--days ${days}`, ...(name === undefined ? [] : [`--repository ${name}`])].join(' ')
    return (most) => {
      const sentences = new Sentences()
      const [shown, more] = first(found.items, most)
      const all = found.items.length + found.notShown
      return {
        answer: all === 0 ? emptySentence(days) : `${counted(all, 'item waits', 'items wait')} for a person.`,
        items: shown.map((item) => ({
          kind: item.kind,
          what: untrusted(item.what),
          repository: untrusted(item.repository),
          pullRequest: pullRequestOf(item)?.pullRequestNumber ?? null,
          since: isoTime(item.since),
          next: nextStepOf(item, (person) => sentences.mark(person)),
        })),
        proof: proof(sources, `${QUEUE_PATH}?${asked.toString()}`, `queue ${options} --json`),
        references: sentences.list(),
        more: more + found.notShown,
      }
    }
  },
})

/** Entries that are looked through: a name that many others contain. */
const MOST_ENTRIES = 50

const entryShape = z.strictObject({
  test: untrustedText,
  check: untrustedText,
  error: untrustedText.describe('The error without what differs from run to run.'),
  kind: z.enum(ENTRY_KINDS),
  state: z.enum(ENTRY_STATES),
  hits7: count,
  hits30: count,
  unrelatedPullRequests: count.describe('In 30 days.'),
  trunkHits: count.describe('On the main branch in 30 days.'),
  firstSeen: z.string(),
  lastSeen: z.string(),
  owner: untrustedText.nullable(),
  issue: untrustedText.nullable().describe('An address that somebody gave.'),
})

export const isFailureKnown = tool({
  name: 'is_failure_known',
  title: 'Is this failure known?',
  description:
    'Looks a failing test, a check or an error up in the ledger of known failures: how often it fails elsewhere, who owns it. What a pull request’s own failing test is called, explain says.',
  input: {
    repository: REPOSITORY,
    test: z.string().min(1).max(LONGEST_SEARCH).describe('A part of the name of the test or check, or of the error.'),
  },
  output: { known: z.boolean().describe('An entry that is not closed matches.'), entries: z.array(entryShape) },
  async ask(sources, { repository: name, test }) {
    const repository = await repositoryNamed(sources, name)
    if (repository === null) return NO_REPOSITORY
    const wanted = { ...DEFAULT_LEDGER_VIEW, text: test, perPage: MOST_ENTRIES }
    const { entries, found } = await sources.store.ledger.find(repository.id, wanted)
    return (most) => {
      const [shown, more] = first(entries, most)
      return {
        answer:
          found === 0
            ? 'No entry of the ledger matches.'
            : `${counted(found, 'entry of the ledger matches', 'entries of the ledger match')}.`,
        known: entries.some(({ state }) => state !== 'closed'),
        entries: shown.map(entryAnswer),
        proof: proof(sources, ledgerPath(repository), `ledger list --repository ${name} --json`),
        references: [],
        more: more + found - entries.length,
      }
    }
  },
})

function entryAnswer(entry: LedgerEntry): z.output<typeof entryShape> {
  const { checkName, signature, kind, state, hits7, hits30, unrelatedPullRequests, trunkHits, owner, issue } = entry
  return {
    test: untrusted(entryLabel(entry)),
    check: untrusted(checkName),
    error: untrusted(signature),
    ...{ kind, state, hits7, hits30, unrelatedPullRequests, trunkHits },
    firstSeen: isoTime(entry.firstSeen),
    lastSeen: isoTime(entry.lastSeen),
    owner: untrustedOrNull(owner),
    issue: untrustedOrNull(issue),
  }
}
