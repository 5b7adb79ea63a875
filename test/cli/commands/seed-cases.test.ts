import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TriageReport } from '../../../src/report/report.ts'
import { reportPage } from '../../../src/web/pages/report/report.ts'
import { DEFAULT_VIEW } from '../../../src/web/pages/report/report-view.ts'
import { perfTriage } from './capture.ts'

/**
 * Files with the figures of a post on two clients of ClickHouse and of a talk on its storage, from the command line to what is
 * shown: the terminal, the comment, the page.
 */

const CASES: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'two-programs-once': () => ({ 'old.txt': perfStat(SEASCLICK, 0), 'new.txt': perfStat(ORZCLICK, 0) }),
  'two-programs': () => repeated(5, (side, time) => perfStat(side === 'old' ? SEASCLICK : ORZCLICK, time)),
  'timed-once': () => ({ 'old.txt': timed(8170, 0), 'new.txt': timed(8171, 0) }),
  timed: () => repeated(5, (side, time) => timed(side === 'old' ? 8170 : 8171, time)),
  'machines-once': () => ({ 'old.json': clickbench('EBS', 0), 'new.json': clickbench('NVMe', 0) }),
  machines: () => repeated(3, (side, time) => clickbench(side === 'old' ? 'EBS' : 'NVMe', time)),
  'machines-and-a-failure': () => repeated(3, (side, time) => clickbench(side === 'old' ? 'NVMe' : 'S3', time)),
}

const SEASCLICK = { program: 'php select-seasclick.php 1000 1000', real: 1.86, clock: 896.48 }
const ORZCLICK = { program: 'php select-orzclick.php 1000 1000', real: 1.461, clock: 496.85 }
const COUNTS = {
  'context-switches': [0, 0],
  'cpu-migrations': [0, 0],
  'page-faults': [1962, 1977],
  cycles: [3_316_728_038, 1_761_248_425],
  instructions: [6_019_365_862, 2_601_973_475],
  branches: [1_316_036_409, 487_402_260],
  'branch-misses': [10_073_424, 2_879_008],
} as const

/** Up to 1% more or less than `value`, another share for each time. */
function about(value: number, time: number): number {
  return value * (1 + ((time * 7) % 5) / 200)
}

/** The post’s outputs end without the elapsed time; the repetitions have it. */
function perfStat(of: typeof SEASCLICK, time: number): string {
  const lines = Object.entries(COUNTS).map(([event, counts]) => {
    const value = Math.round(about(counts[of === SEASCLICK ? 0 : 1], time))
    return `${value.toLocaleString('en').padStart(14)}      ${event}:u`
  })
  const end = time === 0 ? '' : `\n${about(of.real, time).toFixed(9).padStart(18)} seconds time elapsed\n`
  const clock = `${about(of.clock, time).toFixed(2).padStart(14)} msec task-clock:u              #    0.482 CPUs utilized`
  return `\n Performance counter stats for '${of.program}':\n\n${[clock, ...lines].join('\n')}\n${end}`
}

function timed(size: 8170 | 8171, time: number): string {
  const [real, user, sys] = size === 8170 ? [3.894, 0.03, 0.061] : [0.422, 0.05, 0.022]
  const line = (name: string, value: number) => `${name}\t0m${about(value, time).toFixed(3)}s`
  return `$ time php insert-orzclick.php ${size} 100\n\n${line('real', real)}\n${line('user', user)}\n${line('sys', sys)}\n`
}

/** NVMe is faster than the network disk with cold caches and, as in the talk, its machine slower by 39% with hot ones. */
const MACHINES = {
  EBS: { machine: 'm6i.4xlarge, EBS gp3', cold: [1.1, 0.4], hot: [1 / 1.39, 0] },
  NVMe: { machine: 'i3.4xlarge, NVMe', cold: [1.2, 0.05], hot: [1, 0] },
  S3: { machine: 'i3.4xlarge, S3', cold: [1.5, 1.1], hot: [1.02, 0.02] },
} as const

function clickbench(name: keyof typeof MACHINES, time: number): string {
  const { machine, cold, hot } = MACHINES[name]
  const seconds = ([factor, more]: readonly [number, number], query: number, at: number) =>
    Number(about(0.02 * 1.14 ** query * factor + more, at).toFixed(3))
  const result = Array.from({ length: 43 }, (_, query) =>
    name === 'S3' && query === 28
      ? [null, null, null]
      : [seconds(cold, query, time), seconds(hot, query, time), seconds(hot, query, time + 3)],
  )
  const about100 = { system: 'ClickHouse', date: '2023-02-14', machine, cluster_size: 1, tags: ['C++'] }
  return JSON.stringify({ ...about100, load_time: about(400, time), data_size: 14_779_976_446, result })
}

function repeated(times: number, text: (side: 'old' | 'new', time: number) => string): Record<string, string> {
  const files = (['old', 'new'] as const).flatMap((side) =>
    Array.from(
      { length: times },
      (_, time) =>
        [`${side}/${time + 1}.${text(side, 1).startsWith('{') ? 'json' : 'txt'}`, text(side, time + 1)] as const,
    ),
  )
  return Object.fromEntries(files)
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-seed-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

test.each(Object.keys(CASES))('%s', async (name) => {
  const run = join(folder, name)
  for (const [file, text] of Object.entries(CASES[name]!())) {
    await mkdir(dirname(join(run, file)), { recursive: true })
    await writeFile(join(run, file), text)
  }
  const terminal = await perfTriage(['classify', run], { columns: 120, env: { NO_COLOR: '1' } })
  expect(terminal).toMatchObject({ code: 0, stderr: expect.not.stringContaining('perf-triage') })
  await expect(terminal.stdout).toMatchFileSnapshot(`../../golden/compare/${name}.txt`)
  const { body, report } = JSON.parse((await perfTriage(['comment', run, '--json'])).stdout) as {
    body: string
    report: TriageReport
  }
  await expect(body.replace(/\n<!-- perf-triage:verdicts.*/s, '\n')).toMatchFileSnapshot(
    `../../golden/compare/${name}.md`,
  )
  const html = await reportPage(report, DEFAULT_VIEW, '/r/local/run/pull/0', { publicUrl: '', version: '1' })
  const page = html.toString()
  for (const side of [...(report.labels?.old ?? []), ...(report.labels?.new ?? [])]) expect(page).toContain(side)
  expect(page).toMatch(
    name.startsWith('machines')
      ? /<bdi>cold<\/bdi>/
      : name.startsWith('timed')
        ? /<bdi>waiting-share<\/bdi>/
        : /<bdi>branch-misses<\/bdi>/,
  )
  expect(page.includes('Start with')).toBe(false)
  expect(page.includes('the machine, not the build')).toBe(name.startsWith('machines'))
  expect(page.includes('waiting: no CPU was busy')).toBe(name.startsWith('timed'))

  const { stdout: file, code } = await perfTriage(['comment', run, '--html'])
  expect(code).toBe(0)
  for (const side of [...(report.labels?.old ?? []), ...(report.labels?.new ?? [])]) expect(file).toContain(side)
  const counters = name.startsWith('machines') ? [] : (report.otherMetrics ?? [])
  for (const { metric } of counters) expect(file).toContain(`<bdi>${metric}</bdi>`)
  expect(file.match(/class="label"/g)).toHaveLength(report.rows.length)
  expect(file).not.toMatch(/<script|<link|<img|<form|url\(|@import|\bsrc=/)
  expect([...file.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['#content'])
})
