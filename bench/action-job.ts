import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { build } from 'rolldown'
import rolldown from '../rolldown.config.ts'
import { artifact, JUDGES, makeActionSetting } from '../test/bot/action/action-setting.ts'
import { seeded } from './calibration/seeded.ts'

/**
 * Memory and time of the Action's judging job: its bundle as a process, against a local GitHub, with a run of many benchmarks and the history
 * that `bench/history-file.ts --folder` has left.
 *
 *     npx node bench/action-job.ts --history /tmp/history/branch --benchmarks 200
 */

const { values } = parseArgs({
  options: { history: { type: 'string' }, benchmarks: { type: 'string', default: '200' } },
})
const random = seeded(1)
const samples = (level: number) => Array.from({ length: 15 }, () => level * (0.995 + random() / 100))
const lines = Array.from({ length: Number(values.benchmarks) }, (_, benchmark) => {
  const name = `BenchmarkOperation${benchmark}/size=${2 ** (benchmark % 16)}`
  const of = { test: `github.com/acme/app/internal/package${benchmark % 12}`, queryName: name, metric: 'real_time' }
  const level = 0.001 + benchmark / 100
  const slower = benchmark % 50 === 7 ? 1.2 : 1
  return [
    ...samples(level).map((value) => ({ ...of, side: 'old', value })),
    ...samples(level * slower).map((value) => ({ ...of, side: 'new', value })),
  ]
})

const folder = mkdtempSync(join(tmpdir(), 'perf-triage-action-job-'))
const setting = await makeActionSetting()
try {
  const bundle = join(folder, 'index.mjs')
  await build({ ...rolldown, output: { ...rolldown.output, file: bundle } })
  const repo = setting.repository()
  const { history } = values
  if (history !== undefined) {
    const paths = readdirSync(history, { recursive: true, encoding: 'utf8' })
    const files = paths.filter((path) => statSync(join(history, path)).isFile())
    setting.github.commit(repo, {
      branch: 'perf-triage-history',
      parents: [],
      files: Object.fromEntries(files.map((path) => [path, readFileSync(join(history, path))])),
    })
  }
  const pull = setting.open(repo)
  const text = lines
    .flat()
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
  const run = await setting.measured(pull, [artifact({ 'results.jsonl': text })])
  const event = join(folder, 'event.json')
  writeFileSync(event, JSON.stringify(setting.event(run)))
  const name = `acme/${repo.name}`
  const permissions = { actions: 'read', checks: 'write', contents: 'write', pull_requests: 'write' } as const
  const env = {
    ...{ GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: '77' },
    ...{ GITHUB_WORKFLOW_REF: `${name}/${JUDGES}@refs/heads/main`, GITHUB_SERVER_URL: setting.github.url },
    ...{ GITHUB_API_URL: `${setting.github.url}/api/v3`, GITHUB_STEP_SUMMARY: join(folder, 'summary.md') },
    ...{ INPUT_TOKEN: setting.github.jobToken(repo, permissions), RUNNER_TEMP: folder },
    LOG_LEVEL: 'warn' as const,
    ARTIFACT_HOSTS: new URL(setting.github.blobUrl).host,
  }
  const { stdout, stderr } = await promisify(execFile)('/usr/bin/time', ['-v', process.execPath, bundle], { env })
  const of = (field: string) => new RegExp(`${field}[^:]*: (.*)`).exec(stderr)?.[1]
  console.log(stdout.replaceAll(/^::.*\n/gm, ''))
  console.log(
    `bundle ${(statSync(bundle).size / 1e6).toFixed(2)} MB; peak ${(Number(of('Maximum resident set size')) / 1e3).toFixed(0)} MB; ` +
      `processor time ${of('User time')} + ${of('System time')} s; summary ${(statSync(join(folder, 'summary.md')).size / 1e3).toFixed(0)} kB`,
  )
  console.log(readFileSync(join(folder, 'summary.md'), 'utf8').slice(0, 1500))
} finally {
  await setting.close()
  rmSync(folder, { recursive: true, force: true })
}
