import type { Hit, JudgedFailure } from './failure.ts'
import { PLACEHOLDER } from './normalize-line.ts'

/** The address that opens GitHub’s form for a new issue about a failure. */

export interface ReportIssueOptions {
  /** The labels of the issue, as the repository names them. */
  readonly labels: readonly string[]
  readonly lookbackDays: number
}

/**
 * Longest address, encoded. GitHub takes more, but the renderer links nothing above 2,000 and other programs that pass
 * an address on cut there too.
 */
export const LONGEST_ADDRESS = 1800

const LONGEST_TITLE = 140
/**
 * Characters of one text in the address, encoded, where a character may take twelve: the title and the name fit in any
 * case.
 */
const LONGEST_ENCODED = 500
const LONGEST_LABELS_ENCODED = 200
const LONGEST_NAME = 250
const MOST_EXAMPLES = 5

/**
 * Address of GitHub's form for a new issue, filled in; the person who opens it reads it before anything is sent.
 *
 * The body has the fields that ClickHouse's CI reads back (`Test name:`, `Failure reason:`). A name stands there as it
 * is where nothing in it could be Markdown, a mention or a link, since that CI compares it letter by letter; else in a
 * code span. At most `LONGEST_ADDRESS` characters: what doesn't fit is left out of the body from its end, line by line.
 */
export function reportIssueUrl(repositoryUrl: string, judged: JudgedFailure, options: ReportIssueOptions): string {
  const name = judged.failure.testName || judged.failure.checkName
  const title = encodeURIComponent(oneLine(`${kindOfIssue(judged)}: ${name}`, LONGEST_TITLE))
  const labels = encodedLabels(options.labels)
  const start = `${repositoryUrl.replace(/\/+$/, '')}/issues/new?title=${title}${labels === '' ? '' : `&labels=${labels}`}&body=`

  let body = ''
  for (const line of bodyLines(judged, name, options.lookbackDays)) {
    const added = encodeURIComponent(`${body === '' ? '' : '\n'}${line}`)
    if (start.length + body.length + added.length > LONGEST_ADDRESS) break
    body += added
  }
  return start + body
}

/**
 * ClickHouse's own words where the failure comes and goes from one pull request to another. What fails on the trunk alone,
 * or fails there now, was not seen to be flaky, and of a check without a failing test it is not known what failed.
 */
function kindOfIssue({ failure, classification, unrelatedPullRequests }: JudgedFailure): string {
  if (classification === 'broken-trunk') return 'Broken on the main branch'
  if (failure.testName === '') return 'Failing check'
  return classification === 'chronic' && unrelatedPullRequests === 0 ? 'Failing test' : 'Flaky test'
}

function bodyLines(judged: JudgedFailure, name: string, lookbackDays: number): readonly string[] {
  const { failure, hits, trunkHits, unrelatedPullRequests } = judged
  const reason = literalReason(judged)
  const counts =
    hits === null || trunkHits === null || unrelatedPullRequests === null
      ? 'unknown'
      : `${counted(unrelatedPullRequests, 'unrelated pull request')}, ${counted(hits, 'hit')}, ${trunkHits} on the main branch in ${counted(lookbackDays, 'day')}`
  const examples = judged.examples.slice(0, MOST_EXAMPLES).flatMap((hit) => exampleLine(hit) ?? [])
  return [
    `Test name: ${fieldValue(name)}`,
    ...(reason === null ? [] : [`Failure reason: ${fieldValue(reason)}`]),
    ...(failure.signature.text === '' ? [] : [`Signature: ${codeSpan(failure.signature.text)}`]),
    ...(failure.testName === '' ? [] : [`Check: ${codeSpan(failure.checkName)}`]),
    `Statistics: ${counts}`,
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples]),
  ]
}

/**
 * Words of the signature's first line that stand in the output as they do here, for a reader that looks for the reason in
 * raw output: the longest stretch without a placeholder. Null where none is long enough to tell anything.
 */
function literalReason(judged: JudgedFailure): string | null {
  const { kind, text } = judged.failure.signature
  if (kind !== 'output') return null
  const stretches = text.split('\n', 1)[0]!.split(new RegExp(PLACEHOLDER, 'g'))
  const longest = stretches.map((stretch) => stretch.trim()).reduce((a, b) => (b.length > a.length ? b : a), '')
  return longest.length >= 12 ? longest : null
}

function exampleLine(hit: Hit): string | null {
  const address = linkable(hit.reportUrl)
  const day = new Date(hit.time)
  if (Number.isNaN(day.getTime())) return null
  const where = hit.pullRequestNumber > 0 ? `pull request ${hit.pullRequestNumber}` : 'trunk'
  const check = codeSpan(hit.checkName)
  return `- ${address === null ? check : `[${check}](${address})`}, ${where}, ${day.toISOString().slice(0, 10)}`
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** An http(s) address without credentials that can't leave Markdown's link; null for anything else. */
function linkable(address: string): string | null {
  if (address.length > 1000) return null
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  return url.href.replace(/[()\\|<>`]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
}

const HARMLESS = /^[\w ./:,;'"=+()[\]{}%-]+$/
// An address, a link, an issue, a commit: what GitHub makes a link of without any mark.
const MAKES_A_LINK = /:\/\/|\bwww\.|\]\s*[([:]|\bgh-\d|\b[0-9a-f]{7,40}\b|^\s*\[/i
// Emphasis: underscores at the edge of a word.
const EMPHASIS = /(?:^|[^\w])_|_(?:[^\w]|$)/

/** The text as it is where it can only be read as the text it is, else in a code span. */
function fieldValue(text: string): string {
  const line = oneLine(text, LONGEST_NAME)
  return HARMLESS.test(line) && !MAKES_A_LINK.test(line) && !EMPHASIS.test(line) ? line : codeSpan(text)
}

/** A code span of one line; the one place where GitHub neither links, mentions, formats nor reads HTML. */
function codeSpan(text: string): string {
  // GitHub's parser takes no delimiter above 80 backticks.
  const content = oneLine(text, LONGEST_NAME).replace(/`{4,}/g, '```') || '(empty)'
  const longest = Math.max(0, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = content.startsWith('`') || content.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${content}${pad}${fence}`
}

const SPACES = /[\s\p{Z}]+/gu
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu

/**
 * The text in one line of visible characters, cut between characters where it is longer or takes more than
 * `LONGEST_ENCODED`.
 */
function oneLine(text: string, limit: number): string {
  const clean = text.slice(0, 4096).replace(SPACES, ' ').replace(UNSEEN, '').trim()
  let kept = ''
  let length = 0
  let encoded = 0
  for (const character of clean) {
    length += 1
    encoded += encodeURIComponent(character).length
    if (length > limit || encoded > LONGEST_ENCODED) return `${kept.trimEnd()}…`
    kept += character
  }
  return clean
}

/** A label that doesn't fit is left out whole: half of one is another label. GitHub parts them at commas. */
function encodedLabels(labels: readonly string[]): string {
  let encoded = ''
  for (const label of labels) {
    const clean = oneLine(label, 100)
    const next = encodeURIComponent(`${encoded === '' ? '' : ','}${clean}`)
    if (clean === '' || clean.includes(',') || encoded.length + next.length > LONGEST_LABELS_ENCODED) continue
    encoded += next
  }
  return encoded
}
