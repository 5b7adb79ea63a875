import type { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { queryOfHistoryKey } from '../../../judge/history/query-of-history-key.ts'
import type { LedgerEntry } from '../../../judge/ledger/entry.ts'
import { isEntryId } from '../../../judge/ledger/entry.ts'
import { type EntryHit, type EntryTimeline, LATEST_HITS } from '../../../judge/ledger/entry-timeline.ts'
import { signatureOfText } from '../../../judge/ledger/signature.ts'
import { type EnteredByHand, enteredByHand, entryData, entryLabel, kindWords } from '../../../report/entry/columns.ts'
import { byWhom, why } from '../../../report/render/acceptance-words.ts'
import {
  ENTRY_ROUTE,
  entryPath,
  ledgerPath,
  parseRepositoryAddress,
  queryPath,
  type RepositoryAddress,
  reportPath,
} from '../../../report/urls.ts'
import { FAILURE_WORDS, LOOKUP_PROBLEM_WORDS } from '../../../report/words.ts'
import { DEFAULT_LEDGER_VIEW } from '../../../store/ledger/found-entries.ts'
import { isCommitId } from '../../../text/commits.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, day, signedPercent } from '../../../text/numbers.ts'
import { phrase } from '../../../text/phrase.ts'
import { htmlTime, toHtml } from '../../../text/phrase-html.ts'
import { LONGEST_SEARCH } from '../../../text/searched-text.ts'
import { type Column, tsvTable } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import { isoTime } from '../../../text/time.ts'
import { COPY_SCRIPT } from '../../assets/assets.ts'
import { type TimelineMark, timelineChart } from '../../kit/charts/timeline.ts'
import { crumbs, LEDGER } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { type GitHubLinks, githubLinks, linkedOutside, outsideLink } from '../../kit/links.ts'
import { cells, headings, nameColumn, plainTable, textColumn, valueColumn } from '../../kit/table.ts'
import { explained, said, word } from '../../kit/word.ts'
import type { Site } from '../site.ts'
import { dayOf, entryDetail, issueOf, ownerOf } from './entry-words.ts'
import { entryReproduce } from './ledger-reproduce.ts'
import { ledgerViewPath } from './ledger-view.ts'

/** One entry of a ledger: its page, JSON and TSV. */
export function entryRoutes(
  app: Hono,
  { access, answers, store, timelineOf, declarationsOf, githubUrl, publicUrl, now, version }: Site,
): void {
  app.get(ENTRY_ROUTE, async (context) => {
    const address = parseEntryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    const entry =
      address === null || repository === null ? null : await store.ledger.entry(repository.id, address.entryId)
    if (address === null || repository === null || entry === null) return answers.notFound(context)
    const { owner, repo } = address
    const timeline = await timelineOf({ id: repository.id, owner, repo }, entry)
    const byHand = enteredByHand((await declarationsOf(repository.id)).get(entry.entryId), now())
    return answers.inFormat(context, {
      html: () =>
        entryPage({
          address: { owner, repo },
          repositoryId: repository.id,
          entry,
          byHand,
          timeline,
          githubUrl,
          publicUrl,
          version,
        }),
      json: () => entryJson({ owner, repo }, entry, timeline, byHand),
      tsv: () => entryTsv(timeline),
    })
  })
}

interface EntryAddress extends RepositoryAddress {
  readonly entryId: string
}

/** The address that the named parts of a path give; null when no entry can have it. */
function parseEntryAddress(parts: Readonly<Record<string, string | undefined>>): EntryAddress | null {
  const repository = parseRepositoryAddress(parts)
  const { entry = '' } = parts
  return repository !== null && isEntryId(entry) ? { ...repository, entryId: entry } : null
}

const NAME_LENGTH = 120

interface EntryPage {
  readonly address: RepositoryAddress
  readonly repositoryId: number
  readonly entry: LedgerEntry
  /** Null: nobody has said anything of it. */
  readonly byHand: EnteredByHand | null
  readonly timeline: EntryTimeline
  readonly githubUrl: string
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** One entry of a ledger: what is kept of it, and when it was hit. */
export function entryPage(of: EntryPage): Html {
  const { address, repositoryId, entry, byHand, timeline, publicUrl, version } = of
  const path = entryPath(address, entry.entryId)
  const label = entryLabel(entry)
  return layout({
    title: `${label} · ledger of ${address.owner}/${address.repo}`,
    version,
    wide: true,
    scripts: [COPY_SCRIPT],
    crumbs: crumbs(address, { text: LEDGER, path: ledgerPath(address) }, { text: label }),
    content: html`<h1><bdi>${label}</bdi></h1>
<p><span class="tag first ${entry.state}">${entry.state}</span><span class="tag">${kindWords(entry)}</span>${byHand === null ? '' : html`<span class="tag">by hand</span>`} ${stateWords(entry)}</p>
${detail(entry)}
${ways(address, entry)}
${facts(of)}
${timelinePart(entry, timeline, label)}
${latestPart(of)}
${entryReproduce({ repositoryId, repository: address, entry, timeline, address: `${publicUrl}${path}` })}
<p class="downloads">The entry, its days and its latest hits: <a href="${path}?format=json">JSON</a>. The days: <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

function stateWords({ state, openedAt, closedAt, expiresAt, reopened, lastSeen }: LedgerEntry): string {
  const since = `${reopened > 0 ? 'Open again' : 'Open'} since ${day(openedAt, lastSeen)}`
  if (state === 'closed') {
    return `Closed as of ${closedAt === null ? 'an unknown day' : day(closedAt, lastSeen)}: it was not seen for a while. It reopens if it comes back.`
  }
  if (state === 'expired') {
    return `${since}. It expired on ${day(expiresAt, lastSeen)} and still occurs: nobody has dealt with it.`
  }
  return `${since}. It expires on ${day(expiresAt, lastSeen)} if it still occurs then, and closes when it has not been seen for a while.`
}

function detail(entry: LedgerEntry): Html | string {
  const text = entryDetail(entry)
  if (entry.kind === 'mover') return text === '' ? '' : html`<p>${text}</p>`
  return text === ''
    ? html`<p>Its output doesn’t tell it from other failures with that name, so every failure with that name counts.</p>`
    : html`<p>${explained(signatureOfText(entry.signature).kind === 'stack-trace-id' ? FAILURE_WORDS.stackTraceId : FAILURE_WORDS.signature)}: ${text}</p>`
}

function ways(address: RepositoryAddress, { kind, testName, checkName, signature }: LedgerEntry): Html {
  const mover = kind === 'mover' ? queryOfHistoryKey(signature) : null
  const path = ledgerPath(address)
  const name = testName === '' ? checkName : testName
  const isSearchable = name.length <= LONGEST_SEARCH && name.trim() !== ''
  return html`<ul class="ways">
<li><a href="${path}">The ledger of ${address.owner}/${address.repo}</a></li>
${isSearchable ? html`<li><a href="${ledgerViewPath(path, { ...DEFAULT_LEDGER_VIEW, text: name })}">Other entries of this ${testName === '' ? 'check' : 'test'}</a></li>` : ''}
${mover === null ? '' : html`<li><a href="${queryPath(address, mover.query)}">History of this query</a></li>`}
</ul>`
}

function facts({ address, entry, byHand, githubUrl }: EntryPage): Html {
  const isMover = entry.kind === 'mover'
  const fact = (name: Html | string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  const number = (value: number) => html`<data value="${value}">${count(value)}</data>`
  return html`<dl class="facts">
${entry.testName === '' || entry.testName === entryLabel(entry) ? '' : fact('Test', html`<bdi>${plainText(entry.testName, 400)}</bdi>`)}
${fact(entry.testName === '' ? 'Check' : 'Latest check', html`<bdi>${plainText(entry.checkName, NAME_LENGTH) || '–'}</bdi>`)}
${fact(isMover ? 'Flagged in 1, 7 and 30 days' : html`${word(FAILURE_WORDS.hit.term, 'Hits')} in 1, 7 and 30 days`, html`${number(entry.hits1)}, ${number(entry.hits7)}, ${number(entry.hits30)}`)}
${fact(said(FAILURE_WORDS.unrelated), number(entry.unrelatedPullRequests))}
${fact(isMover ? 'Moves on the main branch' : said(FAILURE_WORDS.onTrunk), number(entry.trunkHits))}
${fact('First seen', dayOf(entry.firstSeen))}
${fact('Last seen', dayOf(entry.lastSeen))}
${fact('Opened', html`${dayOf(entry.openedAt)}${entry.reopened === 0 ? '' : ` for the ${ordinal(entry.reopened + 1)} time`}`)}
${fact('Expires', dayOf(entry.expiresAt))}
${fact('Closed', dayOf(entry.closedAt))}
${fact('Reopened', number(entry.reopened))}
${fact(
  'Owner',
  ownerOf(entry.owner, (owner) => ledgerViewPath(ledgerPath(address), { ...DEFAULT_LEDGER_VIEW, owner }), 'nobody'),
)}
${fact('Issue', entry.issue === null ? 'none known' : issueOf(entry.issue))}
${byHand === null ? '' : fact('By hand', byHandWords(byHand, githubLinks(githubUrl, address)))}
</dl>`
}

function ordinal(number: number): string {
  const ending = number % 100 >= 11 && number % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${count(number)}${ending}`
}

/** The states of the entry as marks: only the last opening is kept. */
function marksOf({ state, openedAt, closedAt, expiresAt, reopened, lastSeen }: LedgerEntry): TimelineMark[] {
  const hasExpired = state === 'expired' || (state === 'closed' && expiresAt <= lastSeen)
  return [
    { time: openedAt, label: reopened === 0 ? 'opened' : 'reopened' },
    ...(hasExpired ? [{ time: expiresAt, label: 'expired' }] : []),
    ...(closedAt === null ? [] : [{ time: closedAt, label: 'closed' }]),
  ]
}

function timelinePart(entry: LedgerEntry, timeline: EntryTimeline, label: string): Html {
  const { days, databaseProblem, notRead, notCompared, massFailuresKnown } = timeline
  const isMover = entry.kind === 'mover'
  const plot = timelineChart({
    id: 'timeline',
    title: `${isMover ? 'Flags' : 'Hits'} of ${label} per day`,
    days,
    marks: marksOf(entry),
    one: isMover ? 'run of a pull request in which it was flagged' : 'hit in pull requests',
    many: isMover ? 'runs of pull requests in which it was flagged' : 'hits in pull requests',
  })
  const met = days.filter((one) => one.pullRequestHits + one.trunkHits + one.inMassFailures > 0)
  const hasMass = days.some(({ inMassFailures }) => inMassFailures > 0)
  const last = days.at(-1)!.start
  const notes = [
    isMover
      ? 'From the newest report of each head of a pull request. What the main branch did is in the history of the query.'
      : timeline.source === 'ci-database'
        ? 'From the CI database.'
        : 'From checks that the bot has seen or that were imported.',
    ...(databaseProblem === null
      ? []
      : [
          `Data from the CI database is missing, because ${LOOKUP_PROBLEM_WORDS[databaseProblem].term}; the numbers above may count it.`,
        ]),
    ...(notRead > 0 ? [`${count(notRead)} older failing rows with that name were not read.`] : []),
    ...(entry.reopened > 0
      ? [`It was closed and came back ${counted(entry.reopened, 'time', 'times')}; only the last time is marked.`]
      : []),
    ...(notCompared > 0
      ? [
          `${counted(notCompared, 'failing row with that name is', 'failing rows with that name are')} left out, since an earlier version of the rule signed them.`,
        ]
      : []),
    ...(massFailuresKnown ? [] : ['Rows of mass failures count as hits, because they could not be read in time.']),
  ]
  return html`<h2 id="timeline-of-entry">Timeline</h2>
${
  plot === null
    ? html`<p>Nothing is stored for the ${counted(days.length, 'day', 'days')} up to ${day(last, last)}.</p>`
    : html`<figure class="chart-frame">${raw(plot)}<figcaption>${isMover ? 'A bar for each day: runs of pull requests in which the query was flagged.' : html`A bar for each day (UTC). Up, filled: hits in pull requests. Down, hatched: hits on the main branch or a release branch.${hasMass ? ' Up, outlined: rows of mass failures, which don’t count as hits.' : ''}`}</figcaption></figure>`
}
<p>${notes.join(' ')}</p>
${
  met.length === 0
    ? ''
    : html`<details><summary>The days as numbers</summary><div class="scroll">${plainTable(`Days with a hit, of the last ${counted(days.length, 'day', 'days')}`, isMover ? DAY_COLUMNS.slice(0, 2) : DAY_COLUMNS, met.toReversed())}</div></details>`
}`
}

function latestPart({ address, entry: { kind }, timeline: { latest }, githubUrl }: EntryPage): Html | string {
  if (latest.length === 0) return ''
  const isMover = kind === 'mover'
  const columns = hitColumns(address, githubLinks(githubUrl, address), isMover)
  const title = isMover ? 'Latest runs in which it was flagged' : 'Latest hits'
  return html`<h2 id="latest">${title}</h2>
<div class="scroll" role="region" aria-labelledby="latest-caption" tabindex="0">
<table class="latest"><caption id="latest-caption">${latest.length < LATEST_HITS ? counted(latest.length, isMover ? 'run' : 'hit', isMover ? 'runs' : 'hits') : `The latest ${LATEST_HITS}`}, newest first</caption>
${headings(columns)}
<tbody>${latest.map((hit) => html`<tr>${cells(columns, hit)}</tr>`)}</tbody></table></div>`
}

function hitColumns(address: RepositoryAddress, links: GitHubLinks, isMover: boolean): readonly Column<EntryHit>[] {
  const where = (number: number) =>
    linkedOutside(isMover ? reportPath({ ...address, number }) : links.pullRequest(number), `#${number}`)
  const commit = ({ pullRequestNumber: number, commitSha }: EntryHit) => {
    const [text, isFull] = [plainText(commitSha, 64), isCommitId(commitSha)]
    const report = isMover && isFull ? reportPath({ ...address, number, head: commitSha }) : null
    return linkedOutside(report ?? links.commit(commitSha), isFull ? text.slice(0, 10) : text || '–')
  }
  return [
    textColumn(
      'When',
      ({ time, inMassFailure }) =>
        html`${htmlTime(time)}${inMassFailure ? html` <small>in a mass failure, not a hit</small>` : ''}`,
    ),
    textColumn('Where', ({ pullRequestNumber: number }) => (number === 0 ? 'main or release branch' : where(number))),
    textColumn('Commit', commit),
    textColumn('Check', ({ reportUrl, checkName }) =>
      linkedOutside(outsideLink(reportUrl), plainText(checkName, NAME_LENGTH) || '–'),
    ),
    ...(isMover ? [valueColumn<EntryHit>('Difference', ({ difference }) => difference, signedPercent)] : []),
  ]
}

/** `Declared chronic by maria: a port, until 2026-12-31, on #12.` */
function byHandWords({ state, by, pullRequestNumber }: EnteredByHand, links: GitHubLinks): Html {
  const words =
    state === 'withdrawn'
      ? phrase`Undone ${byWhom(by)}${why({ ...by, until: null })}`
      : phrase`Declared chronic ${byWhom(by)}${why(by)}`
  const over = state === 'expired' ? ', now ended' : ''
  return html`${toHtml(words)}${over}, on ${linkedOutside(links.pullRequest(pullRequestNumber), `#${pullRequestNumber}`)}`
}

/** One entry with its timeline and its latest hits. */
export function entryJson(
  { owner, repo }: RepositoryAddress,
  entry: LedgerEntry,
  timeline: EntryTimeline,
  byHand: EnteredByHand | null,
): TextInPieces {
  const { from, until, days, latest, ...known } = timeline
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${repo}`,
    entry: entryData(entry, byHand),
    timeline: {
      from: isoTime(from),
      until: isoTime(until),
      ...known,
      days: days.map(({ start, ...counts }) => ({ day: isoTime(start).slice(0, 10), ...counts })),
    },
    latestHits: latest.map((hit) => ({ ...hit, time: isoTime(hit.time) })),
  })
}

type Day = EntryTimeline['days'][number]

/** The trunk and mass failures have no part in a mover: its page shows the first two. */
const DAY_COLUMNS: readonly Column<Day>[] = [
  {
    key: 'day',
    value: ({ start }) => isoTime(start).slice(0, 10),
    ...nameColumn('Day (UTC)', ({ start }) => dayOf(start)),
  },
  hitsColumn('pull_request_hits', 'In pull requests', ({ pullRequestHits }) => pullRequestHits),
  hitsColumn('trunk_hits', 'On the main branch', ({ trunkHits }) => trunkHits),
  hitsColumn('in_mass_failures', 'In mass failures', ({ inMassFailures }) => inMassFailures),
]

function hitsColumn(key: string, heading: string, value: (day: Day) => number): Column<Day> {
  return { key, ...valueColumn(heading, value, count) }
}

/** A line for each day of the timeline. */
function entryTsv({ days }: EntryTimeline): TextInPieces {
  return tsvTable(DAY_COLUMNS, () => days)
}
