import { expect, test } from 'vitest'
import { checkBody, checkQuery, checkResponse, checkWebhook } from '../../demo/github/contract.ts'
import { checkRunJson } from '../../demo/github/resources/check.ts'
import type { JsonObject } from '../../demo/github/resources/json.ts'
import { makeSetting } from './setting.ts'

test('a query parameter that GitHub does not know is a problem', () => {
  expect(checkQuery('issues/list-comments', new URLSearchParams('per_page=100&page=2')).problems).toEqual([])
  expect(checkQuery('issues/list-comments', new URLSearchParams('perPage=100')).problems).toHaveLength(1)
  expect(checkQuery('checks/list-for-ref', new URLSearchParams('filter=newest')).problems).toHaveLength(1)
})

test('query values come in their types', () => {
  const { values } = checkQuery('checks/list-for-ref', new URLSearchParams('app_id=17&per_page=5&check_name=12'))
  expect(values).toEqual({ app_id: 17, per_page: 5, check_name: '12' })
})

test('a body that GitHub refuses is told from one whose extra property it ignores', () => {
  expect(checkBody('issues/create-comment', { body: 'text' })).toEqual({ refused: [], problems: [] })
  expect(checkBody('issues/create-comment', {}).refused).toHaveLength(1)
  expect(checkBody('issues/create-comment', { body: 'text', text: 'text' }).problems).toHaveLength(1)
  expect(checkBody('checks/create', { name: 'x', head_sha: 'y', conclusion: 'good' }).refused).toHaveLength(1)
})

test('each required property of a response is missed', async () => {
  const { github, repo } = await makeSetting()
  const run = github.startCheckRun(repo, { name: 'a', headSha: repo.branches.get('master')! })
  const json = JSON.parse(JSON.stringify(checkRunJson(github.state, run))) as JsonObject
  await github.stop()
  expect(checkResponse('checks/get', 200, json)).toEqual([])
  for (const name of ['output', 'head_sha', 'check_suite', 'app', 'pull_requests', 'details_url']) {
    const { [name]: _, ...rest } = json
    expect(checkResponse('checks/get', 200, rest), name).not.toEqual([])
  }
  expect(checkResponse('checks/get', 200, { ...json, started_at: 'yesterday' })).not.toEqual([])
  expect(checkResponse('checks/get', 418, json)).toEqual(['status 418 is not described for checks/get'])
})

test('a webhook without its repository is caught, as is one that nobody knows', () => {
  expect(checkWebhook('issue_comment', 'created', { action: 'created' })).not.toEqual([])
  expect(checkWebhook('issue_comment', 'shouted', {})).toEqual(['no such webhook: issue-comment-shouted'])
})
