import { createSign, generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allPermissions, makeSetting, octokitOf, type Setting } from './setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

function jwt(claims: Record<string, unknown>, key = setting.github.credentials.privateKey): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`
}

async function statusWith(authorization: string | null, path = '/app'): Promise<{ status: number; message: string }> {
  const response = await fetch(setting.github.url + path, {
    headers: authorization === null ? {} : { authorization },
  })
  const body = (await response.json()) as { message?: string }
  return { status: response.status, message: body.message ?? '' }
}

test('the app sees itself, its installations and that of a repository', async () => {
  const { github, installation, at } = setting
  const app = octokitOf(github)
  expect((await app.rest.apps.getAuthenticated()).data?.slug).toBe('perf-triage')
  expect((await app.rest.apps.listInstallations()).data.map(({ id }) => id)).toEqual([installation.id])
  expect((await app.rest.apps.getInstallation({ installation_id: installation.id })).data.app_slug).toBe('perf-triage')
  expect((await app.rest.apps.getRepoInstallation(at)).data.id).toBe(installation.id)
  github.createRepository({ owner: 'elsewhere', name: 'x' })
  const refused = app.rest.apps.getRepoInstallation({ owner: 'elsewhere', repo: 'x' })
  await expect(refused).rejects.toMatchObject({ status: 404 })
})

test('a JWT holds only with the right key, time and app', async () => {
  const now = Math.floor(Date.now() / 1000)
  const good = { iat: now - 30, exp: now + 300, iss: setting.github.credentials.appId }
  expect((await statusWith(`Bearer ${jwt(good)}`)).status).toBe(200)
  expect((await statusWith(null)).status).toBe(401)
  expect(await statusWith(`Bearer ${jwt({ ...good, exp: now - 1 })}`)).toMatchObject({ status: 401 })
  expect((await statusWith(`Bearer ${jwt({ ...good, exp: now + 700 })}`)).message).toMatch(/too far in the future/)
  expect((await statusWith(`Bearer ${jwt({ ...good, iat: now + 120 })}`)).message).toMatch(/'Issued at'/)
  expect((await statusWith(`Bearer ${jwt({ ...good, iss: 1 })}`)).message).toBe('Integration not found')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  expect((await statusWith(`Bearer ${jwt(good, other)}`)).message).toMatch(/could not be decoded/)
  expect((await statusWith('Basic eDp5')).status).toBe(401)
})

test('an installation token is long, lasts an hour and ends with the installation', async () => {
  const { github, installation } = setting
  const app = octokitOf(github)
  const { data } = await app.rest.apps.createInstallationAccessToken({ installation_id: installation.id })
  expect(data.token).toMatch(/^ghs_900001_/)
  expect(data.token.length).toBeGreaterThan(100)
  const path = '/installation/repositories'
  expect((await statusWith(`token ${data.token}`, path)).status).toBe(200)
  expect((await statusWith(`token ${data.token.slice(0, -2)}`, path)).message).toBe('Bad credentials')
  github.suspend(installation, true)
  expect((await statusWith(`token ${data.token}`, path)).status).toBe(403)
  github.suspend(installation, false)
  github.advance(3_600_001)
  expect((await statusWith(`token ${data.token}`, path)).status).toBe(401)
})

test('a token may be narrowed to permissions and repositories, never widened', async () => {
  const { github, installation, repo, at } = setting
  const other = github.createRepository({ owner: 'ClickHouse', name: 'other', private: true })
  const app = octokitOf(github)
  const ask = (more: object) =>
    app.rest.apps.createInstallationAccessToken({ installation_id: installation.id, ...more })
  const { data } = await ask({ repository_ids: [repo.id], permissions: { checks: 'read' } })
  expect(data.permissions).toEqual({ checks: 'read' })
  const authorization = `token ${data.token}`
  expect((await statusWith(authorization, `/repos/${at.owner}/${at.repo}/commits/master/check-runs`)).status).toBe(200)
  expect((await statusWith(authorization, `/repos/${at.owner}/${at.repo}/pulls`)).status).toBe(403)
  expect((await statusWith(authorization, `/repos/${at.owner}/${other.name}`)).status).toBe(404)
  await expect(ask({ permissions: { administration: 'write' } })).rejects.toMatchObject({ status: 422 })
  await expect(ask({ repositories: ['nowhere'] })).rejects.toMatchObject({ status: 422 })
})

test('without its permission an operation is refused', async () => {
  const { checks: _, ...permissions } = allPermissions
  const { github, octokit, repo, at } = await makeSetting({}, { ...permissions, issues: 'read', pull_requests: 'read' })
  const pull = github.openPullRequest({ repo, head: 'x' })
  const message = /Resource not accessible by integration/
  await expect(octokit.rest.checks.listForRef({ ...at, ref: 'master' })).rejects.toThrow(message)
  const comment = octokit.rest.issues.createComment({ ...at, issue_number: pull.number, body: 'x' })
  await expect(comment).rejects.toMatchObject({ status: 403 })
  expect((await octokit.rest.issues.listComments({ ...at, issue_number: pull.number })).data).toEqual([])
  await github.stop()
})

test('the repositories of an installation and each of them, by name and by id', async () => {
  const { github, octokit, repo, at } = setting
  github.createRepository({ owner: 'ClickHouse', name: 'second' })
  const { data } = await octokit.rest.apps.listReposAccessibleToInstallation()
  expect(data.repositories.map(({ name }) => name)).toEqual(['ClickHouse', 'second'])
  expect((await octokit.rest.repos.get(at)).data.id).toBe(repo.id)
  expect((await octokit.request('GET /repositories/{id}', { id: repo.id })).data.full_name).toBe(
    'ClickHouse/ClickHouse',
  )
  github.renameRepository(repo, 'ClickHouse2')
  expect((await octokit.rest.repos.get(at)).data.name).toBe('ClickHouse2')
  const gone = octokit.rest.repos.get({ owner: 'ClickHouse', repo: 'nothing' })
  await expect(gone).rejects.toMatchObject({ status: 404 })
})
