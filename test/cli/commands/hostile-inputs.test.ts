import { execFile } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { perfTriage } from './capture.ts'

/** What is no query log, perf stat, time or ClickBench: one line that says what, exit code 2, and bounded memory. */

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const PERF_STAT = " Performance counter stats for 'a':\n\n"
const RESULT = { system: 'A', date: '2023-01-01', machine: 'm', cluster_size: 1, tags: [], load_time: 1, data_size: 2 }
const clickbench = (result: unknown, more: object = {}) => JSON.stringify({ ...RESULT, result, ...more })
const all = (times: unknown) => Array.from({ length: 43 }, () => times)
const execution = (x: string, more: object = {}) =>
  `${JSON.stringify({ type: 'QueryFinish', event_time: '2026-06-01 00:00:00', query_duration_ms: 5, query: 'SELECT 1', Settings: { x }, ...more })}\n`
const counters = (number: number) => Array.from({ length: number }, (_, of) => `  ${of}      event-${of}\n`).join('')
const DEEP = '['.repeat(200_000)

async function classified(text: string, isQueryLog: boolean) {
  const path = join(folder, `${Math.random()}.txt`)
  await writeFile(path, text)
  const argv = isQueryLog ? [path, '--format', 'query-log', '--side', 'Settings.x=4,8'] : ['--old', path, '--new', path]
  return await perfTriage(['classify', ...argv])
}

test.each<readonly [string, string, RegExp]>([
  ['perf stat, cut', `${PERF_STAT}   496.85 msec task-cl`, /was cut/],
  [
    'perf stat of no numbers',
    `${PERF_STAT}   nan msec task-clock\n   1e999  instructions\n`,
    /it has neither a counter/,
  ],
  ['perf stat of wrong types', '{"counter-value" : {"a":1}, "event" : ["x"]}\n', /is not a counter of perf stat -j/],
  ['perf stat of too many names', `${PERF_STAT}${counters(20_000)}\n 1.0 seconds time elapsed\n`, /more than [\d,]+/],
  ['perf stat, nested without end', `{"counter-value":"1","event":"a","x":${DEEP}`, /is not JSON: it was cut/],
  ['time, cut', '\nreal\t0m3.8', /was cut/],
  ['time of no number', '\nreal\t0mNaNs\nuser\t0m0.0s\nsys\t0m-1s\n', /is missing, so it was cut off/],
  ['time of a million programs', '\nreal\t0m1.0s\nuser\t0m0.5s\nsys\t0m0.1s\n'.repeat(150_000), /more than 4,194,304/],
  ['ClickBench, cut', clickbench(all([1, 2, 3])).slice(0, 200), /was cut/],
  ['ClickBench of NaN', clickbench(all(['nan', 1, 2])).replaceAll('"nan"', 'NaN'), /this is not JSON/],
  ['ClickBench of endless times', clickbench(all([-1, 2, 3])), /expected number to be >=0/],
  ['ClickBench of wrong types', clickbench('abc', { machine: { a: 1 } }), /expected string, received object/],
  ['ClickBench of too many queries', clickbench(Array.from({ length: 60_000 }, () => [1, 2, 3])), /is not a result of/],
  ['ClickBench, nested without end', `${clickbench(all([1, 2, 3])).slice(0, -1)},"x":${DEEP}`, /this is not JSON/],
  ['a query log, cut', `${execution('4')}${execution('8').slice(0, 60)}`, /the last line was cut/],
  ['a query log of NaN', execution('4').replace(':5', ':NaN'), /this is not a JSON object/],
  ['a query log of wrong types', execution('4', { event_time: [1] }), /event_time is not a time/],
  ['a query log, nested without end', `${execution('4').slice(0, -2)},"z":${DEEP}`, /was cut/],
  [
    'a query log of too many events',
    Array.from({ length: 1500 }, (_, of) => execution('4', { ProfileEvents: { [`e${of}`]: 1 } })).join(''),
    /more than 1,200 metrics; --metric NAME keeps one/,
  ],
])('%s: one line and 2', async (name, text, message) => {
  const { code, stdout, stderr } = await classified(text, name.startsWith('a query log'))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

/** Prints the peak of its memory, in kilobytes, behind what the command says. */
const PEAK_HOOK = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))`
const LAUNCHER = join(import.meta.dirname, '../../../bin/perf-triage.js')
/** Bytes; who holds the file in memory has more than the command may take, in kilobytes, and garbage has room below that. */
const HUGE = 1024 * 1024 * 1024
const MOST_MEMORY = 800 * 1024

test('what never ends costs no memory', async () => {
  const heads = [PERF_STAT, '\nreal\t0m', '{"system":"A","result":[[1,2,3]', execution('4').slice(0, -2)]
  const runs = heads.map(async (head, of) => {
    const path = join(folder, `huge-${of}.txt`)
    await writeFile(path, head)
    await truncate(path, HUGE)
    const argv = of === 3 ? [path, '--format', 'query-log', '--side', 'Settings.x=4,8'] : [path]
    return await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(process.execPath, ['--import', PEAK_HOOK, LAUNCHER, 'classify', ...argv], (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      )
    })
  })
  for (const { code, stderr } of await Promise.all(runs)) {
    const [, line, peak] = /^(.*)\npeak (\d+)$/.exec(stderr) ?? []
    expect({ code, line }).toEqual({ code: 2, line: expect.stringMatching(/^perf-triage classify: /) })
    expect(Number(peak)).toBeLessThan(MOST_MEMORY)
  }
})
