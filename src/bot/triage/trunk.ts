import type { Logger } from 'pino'
import {
  ledgerThresholds,
  type RepositoryConfig,
  testEntries,
  thresholdSettings,
} from '../../config/repository-config.ts'
import { getRepository, type Repository } from '../../github/repository.ts'
import type { TrunkTarget } from '../../inbox/triages.ts'
import { quietMovers } from '../../judge/ledger/mover-entries.ts'
import { CiResultsUnavailable } from '../../store/checks/ci-results.ts'
import { lookAfterMerges } from './after-merge.ts'
import { takeInTrunk } from './ci-intake-trunk.ts'
import { ciResultsOf, intakeContext } from './failing-tests-of-head.ts'
import { type EntryLookup, refreshedEntries, subjectOfEntry } from './ledger-entries.ts'
import { loadConfig } from './load-config.ts'
import { peopleAsked } from './people.ts'
import { lookForTrunkSteps } from './steps-of-trunk.ts'
import { keepRead } from './take-event.ts'
import type { TriageContext, TriageResult } from './triage-context.ts'
import { takeInTrunkRuns } from './trunk-runs.ts'

/** How often open entries are looked at although nothing is heard: one closes by silence. */
const LOOK_AT_ENTRIES_MS = 6 * 3600_000

/** Every workflow that ends on the trunk wakes it: the counts of an hour ago are good enough. */
const ENTRIES_STAND_MS = 3600_000

/** Results of a commit that are on their way. */
const LOOK_AGAIN_MS = 10 * 60_000

/** Entries whose histories are read in one question. */
const ENTRIES_AT_ONCE = 200

/**
 * Brings what is known of a repository's trunk up to date: the performance runs of its latest commits, their CI results
 * where there is no CI database, the entries of the ledger, the steps that the queue lists, and merged pull requests whose slowdowns are looked for. Nobody sees
 * the rest but by what is said of pull requests afterwards.
 */
export async function triageTrunk(context: TriageContext, target: TrunkTarget): Promise<TriageResult> {
  const { github, inbox, now } = context
  const octokit = await github.forInstallation(target.installationId)
  const ref = { owner: target.owner, repo: target.repo }
  const log = context.log.child({ repository: `${target.owner}/${target.repo}` })
  const versionBefore = await inbox.repositories.version(target.repositoryId)
  const repository = await getRepository(octokit, ref)
  if (repository === null || repository.id !== target.repositoryId) return NOTHING_MORE
  await keepRead(context, target.installationId, repository, versionBefore)
  if (repository.isArchived) return NOTHING_MORE
  const { config } = await loadConfig(octokit, ref, repository.id, inbox.configs, now(), log)
  if (!config.enabled) return NOTHING_MORE

  const self = await github.identity()
  const { store, taken: known, isAllowedHost, scratch, stopping } = context
  const measuring = {
    octokit,
    ref,
    config,
    thresholds: thresholdSettings(config, testEntries(config, now())),
    runs: store.runs,
    trunkHistory: store.trunkHistory,
    taken: known,
    metrics: context.metrics,
    isAllowedHost,
    scratch,
    log,
    stopping,
    refusedSources: inbox.refusedSources,
    now,
    ownAppId: self.appId,
  }
  const runs = await takeInTrunkRuns(measuring, repository, now())
  if (runs.rows > 0) log.info({ rows: runs.rows }, 'measurements of the main branch stored')
  const ciResults = ciResultsOf(context, config, `${repository.owner}/${repository.name}`)
  let isComplete = runs.isComplete
  if (ciResults.source === 'own') {
    const intake = intakeContext(context, { octokit, ref, self, log }, repository.id, config, () => false)
    const taken = await takeInTrunk(intake, repository, now())
    isComplete &&= taken.isComplete
    if (taken.rows > 0)
      log.info({ rows: taken.rows, problems: taken.problems.length }, 'results of the main branch stored')
  }
  const peopleOf = peopleAsked(context, { octokit, ref, log }, repository.id, config)
  const hasEntries = await lookAtEntries(context, repository, config, { ciResults, peopleOf }, log)
  const hasSteps = await lookForTrunkSteps(context, { octokit, repository, config, log })
  const hasMerges = await lookAfterMerges(context, { octokit, self, repository, config, log })
  const next = isComplete ? (hasEntries || hasSteps || hasMerges ? LOOK_AT_ENTRIES_MS : null) : LOOK_AGAIN_MS
  return { waitUntil: next === null ? null : now() + next, head: null }
}

/** Brings the entries that stand open up to date, unless that was done just now. Whether there are any. */
async function lookAtEntries(
  { store, inbox, entriesLookedAt, now }: TriageContext,
  { id, owner, name, defaultBranch }: Repository,
  config: RepositoryConfig,
  sources: Pick<EntryLookup, 'ciResults' | 'peopleOf'>,
  log: Logger,
): Promise<boolean> {
  const open = (await store.ledger.of(id)).filter(({ state }) => state !== 'closed')
  if (open.length === 0) return false
  const lookedAt = entriesLookedAt.get(id)
  if (lookedAt !== undefined && now() - lookedAt < ENTRIES_STAND_MS) return true
  const lookup: EntryLookup = {
    ...sources,
    repositoryId: id,
    repository: `${owner}/${name}`,
    trunk: [defaultBranch],
    thresholds: ledgerThresholds(config),
    declarations: await inbox.decisions.declarations(id),
    now: now(),
  }
  const quiet = quietMovers(open, lookup.now, lookup.thresholds)
  if (quiet.length > 0) await store.ledger.save(id, quiet)
  const entries = open.filter(({ kind }) => kind === 'failure')
  try {
    for (let first = 0; first < entries.length; first += ENTRIES_AT_ONCE) {
      const batch = entries.slice(first, first + ENTRIES_AT_ONCE)
      const changed = await refreshedEntries(lookup, batch.map(subjectOfEntry), batch)
      if (changed.length > 0) await store.ledger.save(id, changed)
    }
    entriesLookedAt.set(id, lookup.now)
  } catch (error) {
    if (!(error instanceof CiResultsUnavailable)) throw error
    log.warn({ err: error }, 'the ledger entries are not up to date')
  }
  return true
}

const NOTHING_MORE: TriageResult = { waitUntil: null, head: null }
