import { html } from 'hono/html'
import { SHARD_PROBLEM_WORDS, SHARD_STATE_WORDS } from '../../../render/glossary.ts'
import { shardsIn } from '../../../render/view.ts'
import { shardTally } from '../../../report/parts.ts'
import type { TriageReport } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { cutAt, fold, LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { linked, linkWithin } from '../../kit/links.ts'
import { architectureName, explained } from '../../kit/word.ts'

const NAME_LENGTH = 120

/** The checks that measure a part of the queries each. */
export function shardsFold(report: TriageReport): Html | string {
  if (report.shards.length === 0) return ''
  const rows = report.shards.slice(0, LIST_LENGTH).map((shard) => {
    const place =
      shard.shard === null ? '–' : shard.shards === null ? `${shard.shard}` : `${shard.shard} of ${shard.shards}`
    const problem = shard.problem === null ? '' : html`: ${explained(SHARD_PROBLEM_WORDS[shard.problem])}`
    return html`<tr><th scope="row">${linked(linkWithin(report, shard.url), plainText(shard.check, NAME_LENGTH))}</th>
<td>${shard.architecture === null ? '–' : architectureName(shard.architecture)}</td><td>${place}</td>
<td>${explained(SHARD_STATE_WORDS[shard.state])}${problem}</td><td>${shard.conclusion === null ? '–' : plainText(shard.conclusion, 40)}</td></tr>`
  })
  return fold(
    shardsIn(shardTally(report)),
    html`<table><caption>Shards</caption><thead><tr><th scope="col">Check</th><th scope="col">Architecture</th><th scope="col">Shard</th><th scope="col">State</th><th scope="col">Conclusion</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(report.shards.length)}`,
  )
}
