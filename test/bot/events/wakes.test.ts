import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodedEvent, type Event, readEvent } from '../../../src/bot/events/event.ts'
import * as wakes from '../../../src/bot/events/wakes.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../../src/config/repository-config.ts'

const DATA = new URL('../../data/github-webhooks/', import.meta.url)
const SELF = { appId: 424242, botLogin: 'perf-triage[bot]' }
const HEAD = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821'

type Json = Record<string, unknown>

const hintsOf = (name: string, payload: unknown, self: wakes.Self) => wakes.hintsOf(readEvent(name, payload), self)
const isOfInterest = (name: string, payload: unknown, config: RepositoryConfig) =>
  wakes.isOfInterest(readEvent(name, payload), config)
const isOfFailingTests = (name: string, payload: unknown) => wakes.isOfFailingTests(readEvent(name, payload))
const trunkOf = (name: string, payload: unknown) => wakes.trunkOf(readEvent(name, payload))
const repositoryChangesOf = (name: string, payload: unknown) => wakes.repositoryChangesOf(readEvent(name, payload))

function payloadOf(file: string): Json {
  return JSON.parse(readFileSync(new URL(file, DATA), 'utf8')) as Json
}

/**
 * As it reaches an App: with its installation, which the examples of repository hooks lack. `changes` by path:
 * `{ 'check_run.app.id': 5 }`.
 */
function toApp(file: string, changes: Json = {}): Json {
  const payload: Json = { installation: { id: 1 }, ...payloadOf(file) }
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.')
    const last = keys.pop()!
    const holder = keys.reduce((at, key) => at[key] as Json, payload)
    holder[last] = value
  }
  return payload
}

function repositoryIdOf(payload: Json): number {
  return (payload['repository'] as { readonly id: number }).id
}

interface Expected {
  readonly file: string
  readonly event: string
  readonly action: string
  readonly repo: string
  readonly installation: string
  readonly pr_numbers: string
  readonly head_sha: string
}

const EXPECTED: readonly Expected[] = (() => {
  const [header, ...rows] = readFileSync(new URL('expected_fields.csv', DATA), 'utf8').trimEnd().split(/\r?\n/)
  const names = header!.split(',')
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])) as never)
})()

const WAKING = new Set([
  'check_run.created',
  'check_run.completed',
  'check_run.rerequested',
  'check_run.requested_action',
  'check_suite.completed',
  'check_suite.rerequested',
  'workflow_run.requested',
  'workflow_run.completed',
  'status',
  'pull_request.opened',
  'pull_request.synchronize',
  'pull_request.reopened',
  'pull_request.closed',
  'pull_request.ready_for_review',
])

/** Its pull request is one of Codertocat/Hello-World, its repository is octo-org/octo-repo: the number is not ours. */
const OF_ANOTHER_REPOSITORY = 'workflow_run/completed.with-pull-requests.payload.json'

describe('every recorded payload', () => {
  test('all of them are here', () => {
    expect(EXPECTED).toHaveLength(112)
  })

  test.each(EXPECTED)('$file', ({ file, event, action, repo, installation, pr_numbers, head_sha }) => {
    const cause = action === '' ? event : `${event}.${action}`
    const payload = toApp(file)
    const numbers = pr_numbers === '' || file === OF_ANOTHER_REPOSITORY ? [null] : pr_numbers.split(' ').map(Number)
    const expected = WAKING.has(cause)
      ? numbers.map((pullRequestNumber) => ({
          installationId: Number(installation || 1),
          repositoryId: repositoryIdOf(payload),
          owner: repo.split('/')[0],
          repo: repo.split('/')[1],
          pullRequestNumber,
          head: head_sha,
          isAskedFor: action === 'rerequested' || action === 'requested_action',
        }))
      : []
    expect(hintsOf(event, payload, SELF)).toMatchObject(expected)
    expect(hintsOf(event, payload, SELF)).toHaveLength(expected.length)
    // Without an installation nothing could be read or written.
    if (installation === '') expect(hintsOf(event, payloadOf(file), SELF)).toEqual([])
  })
})

describe('readEvent', () => {
  test('a payload is one value with the fields that are used', () => {
    expect(readEvent('check_run', toApp('check_run/completed.payload.json'))).toEqual({
      kind: 'check_run',
      action: 'completed',
      installationId: 1,
      repositoryId: 186853002,
      owner: 'Codertocat',
      repo: 'Hello-World',
      defaultBranch: 'master',
      sender: 'Codertocat',
      name: 'Octocoders-linter',
      head: HEAD,
      conclusion: 'success',
      app: { id: 29310, slug: null },
      pullRequests: [2],
    } satisfies Event)
  })

  test('what is not used, or of another form than GitHub’s, is of the kind other, with its installation', () => {
    const other = { kind: 'other', installationId: 1 }
    expect(readEvent('issue_comment', toApp('issue_comment/created.payload.json'))).toEqual(other)
    const bent = toApp('check_run/completed.payload.json', { 'check_run.head_sha': 'main' })
    expect(readEvent('check_run', bent)).toEqual(other)
    for (const name of ['__proto__', 'constructor', '', 'check_run'])
      expect(readEvent(name, { installation: { id: 'x' } })).toEqual({ kind: 'other', installationId: null })
  })
})

test('a delivery that is no JSON object is none', () => {
  for (const text of ['', '{', 'null', '[]', '"x"']) expect(decodedEvent('check_run', text)).toBeNull()
  expect(decodedEvent('check_run', '{}')).toEqual({ kind: 'other', installationId: null })
})

describe('our own doing', () => {
  const checkRun = (action: string, changes: Json = {}) =>
    toApp('check_run/completed.payload.json', { action, 'check_run.app.id': SELF.appId, ...changes })

  test('our check runs and suites wake nothing when they begin or end', () => {
    expect(hintsOf('check_run', checkRun('created'), SELF)).toEqual([])
    expect(hintsOf('check_run', checkRun('completed'), SELF)).toEqual([])
    const suite = toApp('check_suite/completed.payload.json', { 'check_suite.app.id': SELF.appId })
    expect(hintsOf('check_suite', suite, SELF)).toEqual([])
  })

  test('a person who presses a button on our check run wakes us, we ourselves do not', () => {
    for (const action of ['rerequested', 'requested_action']) {
      expect(hintsOf('check_run', checkRun(action), SELF)).toHaveLength(1)
      const sender = { login: 'Perf-Triage[bot]', type: 'Bot' }
      expect(hintsOf('check_run', checkRun(action, { sender }), SELF)).toEqual([])
    }
  })

  test('a workflow that we started again is waited for although it names us as its sender', () => {
    const sender = { login: SELF.botLogin, type: 'Bot' }
    expect(hintsOf('workflow_run', toApp('workflow_run/completed.payload.json', { sender }), SELF)).toHaveLength(1)
    expect(hintsOf('check_run', toApp('check_run/completed.payload.json', { sender }), SELF)).toHaveLength(1)
  })

  test('labels and comments wake nothing, whoever makes them', () => {
    expect(hintsOf('pull_request', toApp('pull_request/labeled.payload.json'), SELF)).toEqual([])
    expect(hintsOf('issue_comment', toApp('issue_comment/created.payload.json'), SELF)).toEqual([])
  })
})

describe('which pull requests', () => {
  const pull = (number: number, repositoryId: number) => ({ number, base: { repo: { id: repositoryId } } })

  test('several of one head are several hints, each once; those of another repository are none of ours', () => {
    const file = 'check_run/completed.payload.json'
    const id = repositoryIdOf(toApp(file))
    const several = [pull(2, id), pull(5, id), pull(2, id), pull(77, id + 1), { number: 'x' }, null]
    const hints = hintsOf('check_run', toApp(file, { 'check_run.pull_requests': several }), SELF)
    expect(hints.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([2, 5])
    const upstream = toApp(file, { 'check_run.pull_requests': [pull(77, id + 1)] })
    expect(hintsOf('check_run', upstream, SELF)).toMatchObject([{ pullRequestNumber: null, head: HEAD }])
  })

  test('a run for a fork names the branch to find it by', () => {
    const file = 'workflow_run/completed.payload.json'
    const ofFork = toApp(file, {
      'workflow_run.head_repository.owner.login': 'contributor',
      'workflow_run.head_branch': 'faster/join',
    })
    expect(hintsOf('workflow_run', ofFork, SELF)).toMatchObject([
      { pullRequestNumber: null, headLabel: 'contributor:faster/join' },
    ])
    const gone = toApp(file, { 'workflow_run.head_repository': null })
    expect(hintsOf('workflow_run', gone, SELF)).toMatchObject([{ headLabel: null }])
  })

  test('a status names the branch where one alone has this head', () => {
    const file = 'status/payload.json'
    const branch = (name: string, sha: string) => ({ name, commit: { sha } })
    const one = toApp(file, { sha: HEAD, branches: [branch('old', 'a'), branch('changes', HEAD)] })
    expect(hintsOf('status', one, SELF)).toMatchObject([{ headLabel: 'Codertocat:changes' }])
    const two = toApp(file, { sha: HEAD, branches: [branch('same', HEAD), branch('changes', HEAD)] })
    expect(hintsOf('status', two, SELF)).toMatchObject([{ headLabel: null }])
  })

  test('an edited title wakes nothing, an edited base does', () => {
    const payload = { ...toApp('pull_request/opened.payload.json'), action: 'edited' }
    expect(hintsOf('pull_request', { ...payload, changes: { title: { from: 'x' } } }, SELF)).toEqual([])
    expect(hintsOf('pull_request', { ...payload, changes: { base: { ref: { from: 'x' } } } }, SELF)).toMatchObject([
      { pullRequestNumber: 2, head: HEAD, headLabel: 'Codertocat:changes', isAskedFor: false },
    ])
  })
})

describe('isOfInterest', () => {
  const named = { ...DEFAULT_CONFIG, checks: ['Performance ({architecture})'], workflows: ['PR', 'perf.yml'] }
  const checkRun = (name: string, slug: string) =>
    toApp('check_run/completed.payload.json', { 'check_run.name': name, 'check_run.app': { id: 5, slug } })
  const workflowRun = (name: string, path: string) =>
    toApp('workflow_run/completed.payload.json', { 'workflow_run.name': name, 'workflow_run.path': path })

  test('named checks matter, others do not', () => {
    expect(isOfInterest('check_run', checkRun('Performance (arm)', 'any'), named)).toBe(true)
    expect(isOfInterest('check_run', checkRun('Stateless tests', 'github-actions'), named)).toBe(false)
    const status = (context: string) => toApp('status/payload.json', { context })
    expect(isOfInterest('status', status('Performance (arm)'), named)).toBe(true)
    expect(isOfInterest('status', status('default'), named)).toBe(false)
  })

  test('without names the jobs of workflows matter, which may upload artifacts', () => {
    expect(isOfInterest('check_run', checkRun('anything', 'github-actions'), DEFAULT_CONFIG)).toBe(true)
    expect(isOfInterest('check_run', checkRun('anything', 'linter'), DEFAULT_CONFIG)).toBe(false)
    expect(isOfInterest('status', toApp('status/payload.json'), DEFAULT_CONFIG)).toBe(false)
    expect(isOfInterest('workflow_run', workflowRun('x', '.github/workflows/x.yml'), DEFAULT_CONFIG)).toBe(true)
  })

  test('workflows matter by name or by file', () => {
    expect(isOfInterest('workflow_run', workflowRun('PR', '.github/workflows/x.yml'), named)).toBe(true)
    expect(isOfInterest('workflow_run', workflowRun('x', '.github/workflows/perf.yml@refs/heads/a'), named)).toBe(true)
    expect(isOfInterest('workflow_run', workflowRun('x', '.github/workflows/x.yml'), named)).toBe(false)
  })

  test('what a person asks for always matters', () => {
    expect(isOfInterest('check_run', toApp('check_run/rerequested.payload.json'), named)).toBe(true)
    expect(isOfInterest('check_suite', toApp('check_suite/rerequested.payload.json'), named)).toBe(true)
    expect(isOfInterest('check_suite', toApp('check_suite/completed.payload.json'), named)).toBe(false)
    expect(isOfInterest('pull_request', toApp('pull_request/synchronize.payload.json'), named)).toBe(true)
  })
})

describe('isOfFailingTests', () => {
  const checkRun = (conclusion: string | null) =>
    toApp('check_run/completed.payload.json', { 'check_run.conclusion': conclusion })

  test('a check that turned red, and the end of everything', () => {
    expect(isOfFailingTests('check_run', checkRun('failure'))).toBe(true)
    expect(isOfFailingTests('check_run', checkRun('timed_out'))).toBe(true)
    expect(isOfFailingTests('status', toApp('status/payload.json', { state: 'error' }))).toBe(true)
    expect(isOfFailingTests('check_suite', toApp('check_suite/completed.payload.json'))).toBe(true)
    expect(isOfFailingTests('workflow_run', toApp('workflow_run/completed.payload.json'))).toBe(true)
  })

  test('not one that is green, cancelled or only begins, nor a push', () => {
    for (const conclusion of ['success', 'neutral', 'skipped', 'cancelled', null]) {
      expect(isOfFailingTests('check_run', checkRun(conclusion))).toBe(false)
    }
    expect(isOfFailingTests('check_run', toApp('check_run/created.payload.json'))).toBe(false)
    expect(isOfFailingTests('status', toApp('status/payload.json', { state: 'pending' }))).toBe(false)
    expect(isOfFailingTests('workflow_run', toApp('workflow_run/requested.payload.json'))).toBe(false)
    expect(isOfFailingTests('pull_request', toApp('pull_request/synchronize.payload.json'))).toBe(false)
  })
})

describe('trunkOf', () => {
  const workflowRun = (branch: string | null, changes: Json = {}) =>
    toApp('workflow_run/completed.payload.json', {
      'workflow_run.head_branch': branch,
      'repository.default_branch': 'main',
      ...changes,
    })

  test('a workflow or an App that has ended on the default branch', () => {
    expect(trunkOf('workflow_run', workflowRun('main'))).toMatchObject({ installationId: 1 })
    const suite = toApp('check_suite/completed.payload.json', {
      'check_suite.head_branch': 'main',
      'repository.default_branch': 'main',
    })
    expect(trunkOf('check_suite', suite)).not.toBeNull()
  })

  test('nothing else', () => {
    expect(trunkOf('workflow_run', workflowRun('feature'))).toBeNull()
    expect(trunkOf('workflow_run', workflowRun(null, { 'repository.default_branch': null }))).toBeNull()
    expect(trunkOf('workflow_run', workflowRun('main', { action: 'requested' }))).toBeNull()
    expect(trunkOf('check_run', toApp('check_run/completed.payload.json'))).toBeNull()
    expect(trunkOf('workflow_run', null)).toBeNull()
  })
})

describe('repositoryChangesOf', () => {
  test('an entry of another form is passed over, one without a name still hides', () => {
    const removed = [{ id: 5, full_name: 'o/ok', private: true }, { id: 'six' }, { id: 7, full_name: 'o/we ird' }]
    const payload = {
      action: 'removed',
      installation: { id: 1 },
      repositories_added: [],
      repositories_removed: removed,
    }
    expect(repositoryChangesOf('installation_repositories', payload)).toEqual([
      { kind: 'gone', repositoryId: 5, installationId: 1, owner: 'o', repo: 'ok' },
      { kind: 'gone', repositoryId: 7, installationId: 1, owner: '', repo: '' },
    ])
  })

  const installation = { id: 3 }
  const named = { repositoryId: 7, installationId: 3, owner: 'octo-org', repo: 'hello' }

  test.each([
    ['privatized', true, { kind: 'there', ...named, isPrivate: true }],
    // A payload that contradicts itself hides.
    ['privatized', false, { kind: 'there', ...named, isPrivate: true }],
    ['publicized', false, { kind: 'there', ...named, isPrivate: false }],
    ['renamed', true, { kind: 'there', ...named, isPrivate: true }],
    ['transferred', false, { kind: 'there', ...named, isPrivate: false }],
    ['deleted', false, { kind: 'gone', ...named }],
  ])('repository.%s, private: %s', (action, isPrivate, change) => {
    const repository = { id: 7, name: 'hello', owner: { login: 'octo-org' }, private: isPrivate }
    expect(repositoryChangesOf('repository', { action, installation, repository })).toEqual([change])
  })

  test('installations', () => {
    const repositories = [
      { id: 7, full_name: 'octo-org/hello', private: false },
      { id: 8, full_name: 'octo-org/bye' },
    ]
    const other = { ...named, repositoryId: 8, repo: 'bye' }
    const there = [
      { kind: 'there', ...named, isPrivate: false },
      { kind: 'there', ...other, isPrivate: true },
    ]
    const gone = [
      { kind: 'gone', ...named },
      { kind: 'gone', ...other },
    ]
    const ofInstallation = (action: string) =>
      repositoryChangesOf('installation', { action, installation, repositories })
    expect(ofInstallation('created')).toEqual(there)
    expect(ofInstallation('unsuspend')).toEqual(there)
    expect(ofInstallation('deleted')).toEqual([{ kind: 'installation-gone', installationId: 3 }, ...gone])
    expect(ofInstallation('suspend')).toEqual([{ kind: 'installation-gone', installationId: 3 }, ...gone])
    expect(ofInstallation('new_permissions_accepted')).toEqual([])
    const [added, removed] = repositories
    expect(
      repositoryChangesOf('installation_repositories', {
        action: 'added',
        installation,
        repositories_added: [added],
        repositories_removed: [removed],
      }),
    ).toEqual([there[0], gone[1]])
  })

  test('no other event says anything, nor one of another form', () => {
    expect(repositoryChangesOf('installation', { action: 'created', installation: 3 })).toEqual([])
    for (const { file, event } of EXPECTED) expect(repositoryChangesOf(event, toApp(file))).toEqual([])
  })
})

describe('a hostile payload', () => {
  const events = ['check_run', 'check_suite', 'workflow_run', 'status', 'pull_request', 'installation', 'repository']

  test('of any form gives no hint and throws nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        fc.anything({ maxDepth: 3, withNullPrototype: true }),
        (event, payload) => {
          expect(hintsOf(event, payload, SELF)).toEqual([])
          expect(repositoryChangesOf(event, payload)).toEqual([])
          expect(typeof isOfInterest(event, payload, DEFAULT_CONFIG)).toBe('boolean')
        },
      ),
    )
  })

  test('with one value of another kind gives hints of the right form or none', () => {
    const waking = EXPECTED.filter(({ event, action }) => WAKING.has(action === '' ? event : `${event}.${action}`))
    const junk = fc.constantFrom<unknown>(null, -1, 1.5, '', '../..', 'x\ny', [], {}, true, 'a'.repeat(5000), 2 ** 60)
    fc.assert(
      fc.property(fc.constantFrom(...waking), fc.nat({ max: 10_000 }), junk, ({ file, event }, where, value) => {
        const payload = toApp(file)
        spoil(payload, where, value)
        for (const hint of hintsOf(event, payload, SELF)) {
          expect(hint.owner).toMatch(/^[\w.-]{1,100}(\[bot\])?$/)
          expect(hint.repo).toMatch(/^[\w.-]{1,100}$/)
          expect(hint.head).toMatch(/^[0-9a-f]{40}$/)
          expect(hint.pullRequestNumber === null || Number.isSafeInteger(hint.pullRequestNumber)).toBe(true)
          expect(Number.isSafeInteger(hint.repositoryId) && Number.isSafeInteger(hint.installationId)).toBe(true)
        }
      }),
      { numRuns: 1500 },
    )
  })

  const READ = new Set(
    'action id name owner login sha head_sha number head base repo pull_requests branches app repository installation head_repository label'.split(
      ' ',
    ),
  )

  /** Puts a value in the place of one of those that are read. */
  function spoil(payload: Json, where: number, value: unknown): void {
    const places: { readonly holder: Json; readonly key: string }[] = []
    const collect = (holder: Json) => {
      for (const [key, inner] of Object.entries(holder)) {
        if (READ.has(key)) places.push({ holder, key })
        if (typeof inner === 'object' && inner !== null) collect(inner as Json)
      }
    }
    collect(payload)
    const { holder, key } = places[where % places.length]!
    holder[key] = value
  }
})
