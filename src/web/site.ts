import { queueMemoryOf } from '../bot/triage/queue.ts'
import { recordMemoryOf } from '../bot/triage/record.ts'
import type { TriageContext } from '../bot/triage/triage-context.ts'
import type { Environment } from '../config/environment.ts'
import { VERSION } from '../config/version.ts'
import type { GitHubApp } from '../github/github-app.ts'
import { mayReadPrivate, mayWrite } from '../github/repository.ts'
import { lastGoodConfig } from '../inbox/configs.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Store } from '../store/store.ts'
import { type Access, publicAccess } from './access/access.ts'
import { githubAccess } from './access/github-access.ts'
import { type AskGitHub, rememberedPermissions } from './access/permissions.ts'
import { createSignIn, type SignIn } from './access/sign-in.ts'
import { type Log, limitedLog } from './kit/log.ts'
import { timelineOf } from './pages/ledger/timeline-of-entry.ts'
import { trunkHistoryOf } from './pages/query/trunk-of-repository.ts'
import { pages } from './pages.ts'
import { storeInTime } from './store-in-time.ts'

/** The pages, as a Hono application. */
export type Site = ReturnType<typeof pages>

/** The pages of a bot, with who may see them. */
export function siteOf(
  environment: Environment,
  {
    github,
    inbox,
    store,
    ciDatabase,
    historySources,
    now,
    log,
  }: Pick<TriageContext, 'github' | 'inbox' | 'store' | 'ciDatabase' | 'historySources' | 'now' | 'log'>,
): Site {
  const webLog = limitedLog(log)
  const shown = storeInTime(store)
  const publicUrl = environment.publicUrl ?? `http://localhost:${environment.port}`
  const signIn =
    environment.signIn === null ? null : createSignIn({ ...environment, ...environment.signIn, publicUrl, now })
  const configOf = (repositoryId: number) => lastGoodConfig(inbox.configs, repositoryId)
  return pages({
    store: shown,
    publicOnly: publicAccess(shown.reports, inbox.repositories),
    configOf,
    access: accessOf(github, inbox, shown, signIn, webLog, now),
    signIn,
    trunkHistoryOf: trunkHistoryOf({ store: shown, configOf, sources: historySources, log, now }),
    timelineOf: timelineOf({ store: shown, configOf, databases: ciDatabase, log, now }),
    queueMemory: {
      ...queueMemoryOf(inbox),
      addMarks: (repositoryId, marks) => inbox.stepMarks.add(repositoryId, marks),
      releasesOf: (repositoryId) => inbox.releases.of(repositoryId),
    },
    recordMemory: recordMemoryOf(inbox),
    declarationsOf: (repositoryId) => inbox.decisions.declarations(repositoryId),
    githubUrl: environment.githubUrl,
    now,
    publicUrl,
    version: VERSION,
    log: webLog,
  })
}

function accessOf(
  github: GitHubApp,
  inbox: Inbox,
  store: Store,
  signIn: SignIn | null,
  log: Log,
  now: () => number,
): Access {
  const known = inbox.repositories
  if (signIn === null) return publicAccess(store.reports, known)
  const remembered = (may: typeof mayReadPrivate) => {
    const ask: AskGitHub = async ({ id, owner, repo, installationId }, user) =>
      may(await github.forInstallation(installationId), { owner, repo }, id, user)
    return rememberedPermissions({ ask, versionOf: (id) => known.version(id), now, log })
  }
  return githubAccess({
    reports: store.reports,
    known,
    userOf: (context) => signIn.sessions.userOf(context),
    mayRead: remembered(mayReadPrivate),
    mayWrite: remembered(mayWrite),
  })
}
