import type { RepositoryConfig } from '../../config/repository-config.ts'
import { copiedHistory } from '../../store/sync/copied-history.ts'
import { witnessesOfFlags } from './flag-witnesses.ts'
import type { HeadSources } from './judge-head.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'

/** Who is asked about a head by the bot with a server. `now` in milliseconds: as of when the copied history may be used. */
export function sourcesOfHead(
  context: TriageContext,
  publishing: PublishContext,
  config: RepositoryConfig,
  now: number,
): HeadSources {
  const { store, historySources, commitRanges, inbox } = context
  const { octokit, ref, pullRequest, log } = publishing
  const range = { ...ref, id: pullRequest.repository.id }
  const { id, owner, repo } = range
  return {
    store,
    copied: copiedHistory(historySources, store.historyCopies, { id, name: `${owner}/${repo}` }, config, now),
    witnessesOf: (numbers) => witnessesOfFlags(context, publishing, config, numbers),
    commitLine: (base, head) => commitRanges.line(octokit, range, base, head),
    commitsBetween: (older, newer) => commitRanges.between(octokit, range, older, newer),
    askCommits: (lastGood, firstBad) => commitRanges.range(octokit, range, lastGood, firstBad),
    decisionsOn: (numbers) => inbox.decisions.on(id, numbers),
    log,
  }
}
