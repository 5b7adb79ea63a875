import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Machine, Outcome } from './machine.ts'

export interface CheckoutDefaults {
  readonly server: string
  readonly repository: string
  readonly ref: string
  readonly sha: string
}

/** `actions/checkout` with the real git: a fetch from the local GitHub, of one commit or of all. */
export async function checkout(
  machine: Machine,
  inputs: Readonly<Record<string, string>>,
  defaults: CheckoutDefaults,
): Promise<Outcome> {
  const { server } = defaults
  const repository = inputs['repository'] ?? defaults.repository
  const isOwn = repository === defaults.repository && (inputs['ref'] ?? '') === ''
  const folder = join(machine.workspace, inputs['path'] ?? '.')
  const credentials = `http.${server}/.extraheader`
  const basic = Buffer.from(`x-access-token:${inputs['token']}`).toString('base64')
  machine.hide(basic)
  const git = async (...args: readonly string[]) => {
    machine.log(`[command]git ${args.join(' ')}`)
    return await machine.run('git', ['-C', folder, ...args], { env: { ...machine.env, GIT_TERMINAL_PROMPT: '0' } })
  }
  await rm(join(folder, '.git'), { recursive: true, force: true })
  const wanted = isOwn ? defaults.sha : inputs['ref'] || 'HEAD'
  const ref = isOwn ? defaults.ref : (inputs['ref'] ?? '')
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  const kept = isOwn
    ? `:${ref.replace(/^refs\/heads\//, 'refs/remotes/origin/').replace(/^refs\/pull\//, 'refs/remotes/pull/')}`
    : ''
  const depth = inputs['fetch-depth'] ?? '1'
  const commands = [
    ['init', '--quiet', '--initial-branch=unborn', '.'],
    ['remote', 'add', 'origin', `${server}/${repository}`],
    ['config', '--local', credentials, `AUTHORIZATION: basic ${basic}`],
    ...(depth === '0'
      ? [['fetch', '--quiet', '--prune', 'origin', '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']]
      : []),
    ['fetch', '--quiet', '--no-tags', ...(depth === '0' ? [] : [`--depth=${depth}`]), 'origin', `+${wanted}${kept}`],
    ['checkout', '--quiet', '--force', ...(branch === undefined ? ['--detach'] : ['-B', branch]), 'FETCH_HEAD'],
    ...(inputs['persist-credentials'] === 'false' ? [['config', '--local', '--unset-all', credentials]] : []),
  ]
  await machine.run('mkdir', ['-p', folder])
  for (const command of commands) {
    const outcome = await git(...command)
    if (outcome !== 'success') return outcome
  }
  return await git('log', '-1', '--format=%H')
}
