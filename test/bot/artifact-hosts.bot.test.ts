import { expect, onTestFinished, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import { botChecks, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

test('results on a host that was not allowed are read after a start with a list that has it, and looked for at no other start', async () => {
  const env: Record<string, string> = { ARTIFACT_HOSTS: 'elsewhere.example.org' }
  const setting = await makeBotSetting({ env })
  onTestFinished(() => setting.close())
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'work' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-arm', zip }] })
  await setting.settled()
  const said = () => botChecks(setting, pull.head.sha).map(({ output }) => output)
  expect(said()).toMatchObject([
    {
      title: 'No results: 0 of 1 shard in',
      summary: expect.stringMatching(
        /to `ARTIFACT_HOSTS` \(.*\) and restarts it; it then reads the results by itself\./,
      ),
    },
  ])

  const looks = () => github.requests.filter(({ path }) => path.endsWith(`/pulls/${pull.number}`)).length
  const before = looks()
  await setting.restart()
  await setting.settled()
  expect(looks()).toBe(before)

  env['ARTIFACT_HOSTS'] = new URL(github.blobUrl).host
  await setting.restart()
  await setting.settled()
  expect(said()).toMatchObject([{ title: '1 of 1 query got slower' }])
  const after = looks()
  await setting.restart()
  await setting.settled()
  expect(looks()).toBe(after)
  expect(github.violations).toEqual([])
})
