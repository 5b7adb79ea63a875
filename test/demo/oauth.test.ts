import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

const CALLBACK = 'https://perf.example.org/sign-in/callback'
const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

async function authorize(more: Record<string, string> = {}): Promise<Response> {
  const { github } = setting
  const query = new URLSearchParams({
    client_id: github.credentials.clientId,
    redirect_uri: CALLBACK,
    state: 's',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  })
  return fetch(`${github.url}/login/oauth/authorize?${query.toString()}`, { redirect: 'manual' })
}

async function codeOf(login: string): Promise<string> {
  setting.github.atBrowser(login)
  const answer = await authorize()
  expect(answer.status).toBe(302)
  const to = new URL(answer.headers.get('location')!)
  expect(`${to.origin}${to.pathname}`).toBe(CALLBACK)
  expect(to.searchParams.get('state')).toBe('s')
  return to.searchParams.get('code')!
}

async function exchange(code: string, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { url, credentials } = setting.github
  const { clientId, clientSecret } = credentials
  const answer = await fetch(`${url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      code,
      code_verifier: VERIFIER,
      ...more,
    }),
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, unknown>
}

test('a code gives a token once, and the token says whose it is', async () => {
  const code = await codeOf('alice')
  const { access_token: token, token_type } = await exchange(code)
  expect(token_type).toBe('bearer')
  expect((await exchange(code))['error']).toBe('bad_verification_code')
  const user = () =>
    fetch(`${setting.github.url}/api/v3/user`, { headers: { authorization: `Bearer ${String(token)}` } })
  expect(await (await user()).json()).toMatchObject({ login: 'alice', id: setting.github.state.account('alice').id })
  setting.github.advance(8 * 3600_000)
  expect((await user()).status).toBe(401)
})

test('errors are those of GitHub', async () => {
  expect((await exchange(await codeOf('alice'), { client_secret: 'x' }))['error']).toBe('incorrect_client_credentials')
  expect((await exchange(await codeOf('alice'), { code_verifier: 'x' }))['error']).toBe('bad_verification_code')
  expect((await exchange(await codeOf('alice'), { redirect_uri: 'https://x/' }))['error']).toBe('redirect_uri_mismatch')
  const code = await codeOf('alice')
  setting.github.advance(10 * 60_000)
  expect((await exchange(code))['error']).toBe('bad_verification_code')
})

test('somebody refuses, nobody is there, no such App', async () => {
  const { github } = setting
  github.atBrowser('alice', 'no')
  expect((await authorize()).headers.get('location')).toMatch(/\?error=access_denied&.*state=s$/)
  github.atBrowser(null)
  expect((await authorize()).status).toBe(200)
  expect((await authorize({ client_id: 'other' })).status).toBe(404)
})

test('a token of an installation is nobody’s', async () => {
  const { octokit } = setting
  await expect(octokit.rest.users.getAuthenticated()).rejects.toMatchObject({ status: 403 })
})

test('a repository turns private and public, is transferred and deleted, and the webhooks say so', async () => {
  const { github, repo, octokit, at } = setting
  github.install({ account: 'elsewhere', permissions: {}, events: ['repository'] })
  github.setPrivate(repo, true)
  github.setPrivate(repo, false)
  github.transferRepository(repo, 'elsewhere')
  await github.idle()
  await expect(octokit.rest.repos.get(at)).resolves.toMatchObject({ data: { full_name: 'elsewhere/ClickHouse' } })
  github.deleteRepository(repo)
  await github.idle()
  const told = github.deliveries.filter(({ event }) => event === 'repository')
  expect(told.map(({ action }) => action)).toEqual(['privatized', 'publicized', 'transferred', 'deleted'])
})
