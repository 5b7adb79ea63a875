import { isLoopback } from '../../config/host-allowed.ts'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { NO_LINKS, type RenderLinks, type ShownSettings } from '../../report/render/view.ts'
import {
  changesPicturePath,
  flameGraphPath,
  INSTALLED_PATH,
  ownRowPath,
  reportPath,
  trunkPicturePath,
  wordsPath,
} from '../../report/urls.ts'
import type { TriageContext } from './triage-context.ts'

/** The address of the pages from outside. Without a sign-in those of private repositories are shown to nobody: null. */
export function siteOf(
  { publicUrl, hasSignIn }: Pick<TriageContext, 'publicUrl' | 'hasSignIn'>,
  { isPrivate }: PullRequest['repository'],
): string | null {
  return isPrivate && !hasSignIn ? null : publicUrl
}

/** GitHub fetches pictures without a session, over https, and never from a machine that only its owner reaches. */
function canGitHubFetch(publicUrl: string, { isPrivate }: PullRequest['repository']): boolean {
  const url = URL.parse(publicUrl)
  return !isPrivate && url?.protocol === 'https:' && !isLoopback(url.hostname)
}

export function linksOf(
  context: Pick<TriageContext, 'publicUrl' | 'hasSignIn'>,
  { repository, number, head }: PullRequest,
  config: RepositoryConfig,
): RenderLinks {
  const { publicUrl } = context
  if (publicUrl === null) return { ...NO_LINKS, ...shownSettings(config) }
  const { owner, name: repo } = repository
  const address = { owner, repo, number, head }
  const site = siteOf(context, repository)
  return {
    ...shownSettings(config),
    reportUrl: site === null ? null : `${site}${reportPath(address)}`,
    rowUrl: site === null ? null : (row) => `${site}${ownRowPath(address, row)}`,
    flameGraphUrl: site === null ? null : (row) => `${site}${flameGraphPath(address, row)}`,
    pictures:
      config.pictures && canGitHubFetch(publicUrl, repository)
        ? {
            changesUrl: (key, theme) => `${publicUrl}${changesPicturePath(address, key, theme)}`,
            trunkUrl: (row, key, theme) => `${publicUrl}${trunkPicturePath(address, row, key, theme)}`,
          }
        : null,
    wordsUrl: `${publicUrl}${wordsPath()}`,
    uploadUrl: `${publicUrl}${INSTALLED_PATH}`,
  }
}

function shownSettings({ links, ledger, commands, reproduce }: RepositoryConfig): Required<ShownSettings> {
  return { dashboards: links, issueLabels: ledger.issueLabels, commandPrefix: commands.prefix, reproduce }
}
