import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { KnownRepository } from '../../../src/inbox/repositories.ts'
import { publicAccess } from '../../../src/web/access/access.ts'
import { githubAccess } from '../../../src/web/access/github-access.ts'
import type { MayRead } from '../../../src/web/access/permissions.ts'
import { memoryReports } from '../memory-reports.ts'
import { sampleReport } from '../sample-report.ts'

const { id, owner, name } = sampleReport().repository
const KNOWN: KnownRepository = {
  repositoryId: id,
  installationId: 3,
  owner,
  repo: name,
  isPrivate: false,
  isGone: false,
}
const ALICE = { id: 7, login: 'alice' }

interface Given {
  readonly reportIsPrivate?: boolean
  readonly known?: Partial<KnownRepository>
  readonly user?: typeof ALICE | null
  readonly mayRead?: MayRead
  readonly noAfterMs?: number
}

/** What is visible under a name, how long the answer took, and what was asked. */
async function ask(path: string, given: Given = {}) {
  const { reportIsPrivate = false, user = null, mayRead = async () => false, noAfterMs = 0 } = given
  const report = sampleReport()
  const { store, questions } = memoryReports({
    ...report,
    repository: { ...report.repository, isPrivate: reportIsPrivate },
  })
  const rows = given.known === undefined ? [] : [{ ...KNOWN, ...given.known }]
  const known = {
    byName: async (ofOwner: string, repo: string) =>
      rows.find((row) => !row.isGone && row.owner === ofOwner && row.repo === repo) ?? null,
    byId: async (repositoryId: number) => rows.find((row) => row.repositoryId === repositoryId) ?? null,
  }
  const askedGitHub: string[] = []
  const access = githubAccess({
    reports: store.reports,
    known,
    userOf: () => user,
    mayRead: (repository, reader) => {
      askedGitHub.push(`${repository.id} ${reader.login}`)
      return mayRead(repository, reader)
    },
    mayWrite: async () => false,
    noAfterMs,
  })
  const app = new Hono()
  for (const [prefix, one] of [
    ['', access],
    ['/public', publicAccess(store.reports, known)],
  ] as const) {
    app.get(`${prefix}/:owner/:repo`, async (context) => {
      const { owner: ofOwner, repo } = context.req.param()
      return context.json(await one.visible(context, ofOwner, repo))
    })
  }
  const started = performance.now()
  const found: unknown = await (await app.request(path)).json()
  const milliseconds = performance.now() - started
  const asked = [...questions]
  const open: unknown = await (await app.request(`/public${path}`)).json()
  return { found, open, asked, askedGitHub, milliseconds }
}

const HERE = `/${owner}/${name}`
const VISIBLE = { id, isPrivate: false }

test('where nothing else is known, the newest report says whether it is private', async () => {
  expect(await ask(HERE)).toMatchObject({ found: VISIBLE, open: VISIBLE })
  expect(await ask(HERE, { reportIsPrivate: true })).toMatchObject({ found: null, open: null })
})

test('what was heard or read holds, whatever the newest report says', async () => {
  expect(await ask(HERE, { known: { isPrivate: true } })).toMatchObject({ found: null, open: null })
  expect(await ask(HERE, { reportIsPrivate: true, known: {} })).toMatchObject({ found: VISIBLE, open: VISIBLE })
  expect(await ask(HERE, { known: { isPrivate: null } })).toMatchObject({ found: VISIBLE })
  expect(await ask(HERE, { reportIsPrivate: true, known: { isPrivate: null } })).toMatchObject({ found: null })
  expect(await ask(HERE, { known: { isGone: true } })).toMatchObject({ found: null, open: null })
})

test('a name that was given up shows nothing, the present one everything', async () => {
  const known = { repo: 'renamed' }
  expect(await ask(HERE, { known })).toMatchObject({ found: null, open: null })
  expect(await ask(`/${owner}/renamed`, { known })).toMatchObject({ found: VISIBLE, open: VISIBLE })
  expect(await ask(`/${owner}/renamed`, { known: { ...known, isPrivate: null } })).toMatchObject({ found: null })
  expect(await ask(HERE, { known: { owner: '', repo: '' } })).toMatchObject({ found: null, open: null })
})

test('a private one: to whoever may read it on GitHub', async () => {
  const known = { isPrivate: true }
  const yes = await ask(HERE, { known, user: ALICE, mayRead: async () => true })
  expect(yes).toMatchObject({ found: { id, isPrivate: true }, open: null, askedGitHub: [`${id} alice`] })
  expect(await ask(HERE, { known, user: ALICE })).toMatchObject({ found: null })
  const stranger = await ask(HERE, { known, mayRead: async () => true })
  expect(stranger).toMatchObject({ found: null, askedGitHub: [] })
})

test('GitHub is asked about private repositories that are known, never about a name that somebody made up', async () => {
  const user = ALICE
  expect((await ask(HERE, { user })).askedGitHub).toEqual([])
  expect((await ask('/acme/none', { user })).askedGitHub).toEqual([])
  expect((await ask(HERE, { user, known: { isGone: true, isPrivate: true } })).askedGitHub).toEqual([])
})

test('the store is asked the same in each case', async () => {
  const cases: [string, Given][] = [
    ['/acme/none', {}],
    [HERE, { known: { isPrivate: true } }],
    [HERE, { known: { isGone: true } }],
    [HERE, { reportIsPrivate: true }],
    [HERE, { known: { isPrivate: true }, user: ALICE }],
    ['/acme/none', { user: ALICE }],
  ]
  for (const [path, given] of cases) expect((await ask(path, given)).asked).toEqual(['repositoryByName'])
})

test('somebody who is signed in waits equally long for each no, and not at all for a yes', async () => {
  const user = ALICE
  const noAfterMs = 150
  const never: MayRead = () => new Promise(() => {})
  const cases: [string, Given][] = [
    ['/acme/none', {}],
    [HERE, { known: { isPrivate: true } }],
    [HERE, { known: { isPrivate: true }, mayRead: never }],
    [HERE, { known: { isGone: true } }],
  ]
  for (const [path, given] of cases) {
    const { found, milliseconds } = await ask(path, { ...given, user, noAfterMs })
    expect(found).toBeNull()
    expect(milliseconds).toBeGreaterThanOrEqual(noAfterMs - 2)
  }
  const yes = await ask(HERE, { known: { isPrivate: true }, mayRead: async () => true, user, noAfterMs: 60_000 })
  expect(yes.found).toEqual({ id, isPrivate: true })
  expect((await ask(HERE, { user, noAfterMs: 60_000 })).found).toEqual(VISIBLE)
  expect((await ask('/acme/none', { noAfterMs: 60_000 })).found).toBeNull()
})
