import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { migratedDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { ledger } from './ledger-setting.ts'

/**
 * What people who triage a CI have reported, rebuilt as small tables: each folder has its source, the rows or JUnit files, and
 * what has to come out, in `ledger lookup` as a person and as a program reads it.
 */
const CASES = join(import.meta.dirname, '../../data/ci-cases')

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())
const expectedSchema = z.object({
  exitCode: z.number().optional(),
  mustNotList: z.array(z.string()).default([]),
  failures: z.array(
    z.object({
      test: z.string().optional(),
      check: z.string().optional(),
      classification: oneOrMore,
      reason: z.string().optional(),
      unrelatedPullRequests: z.number().optional(),
      count: z.number().optional(),
      mustNotSay: oneOrMore.optional(),
      shouldSayPattern: z.string().optional(),
    }),
  ),
})

const lookupSchema = z.object({
  failures: z.array(
    z.object({
      checkName: z.string(),
      testName: z.string(),
      classification: z.string(),
      causedBy: z.string().nullable(),
      unrelatedPullRequests: z.number().nullable(),
      reasons: z.array(z.object({ kind: z.string() })),
    }),
  ),
})

describe.each(readdirSync(CASES))('%s', (name) => {
  const folder = join(CASES, name)
  const files = readdirSync(folder)
  const expected = expectedSchema.parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')))

  async function lookedUp(table = 'checks.jsonl.gz') {
    const env = variablesOf(await migratedDatabase())
    const imported = async (argv: readonly string[], stdin: string) => {
      expect(await ledger(['import', '-', ...argv], { env, stdin })).toMatchObject({ code: 0 })
    }
    if (existsSync(join(folder, table))) await imported([], gunzipSync(readFileSync(join(folder, table))).toString())
    for (const file of files.filter((one) => one.endsWith('.xml'))) {
      const number = /pr(\d+)/.exec(file)?.[1] ?? '7'
      const of = ['--check', 'E2E', '--pr', number, '--sha', (number === '7' ? 'a' : 'c').repeat(40)]
      await imported([...of, '--repository', 'acme/engine'], readFileSync(join(folder, file), 'utf8'))
    }
    const of = ['lookup', '--pr', '7', '--sha', 'aaaaaaa', '--repository', 'acme/engine']
    const text = await ledger([...of, '--details'], { env })
    const json = await ledger([...of, '--json', '--fail-on', 'unknown'], { env })
    return { text: text.stdout, code: json.code, ...lookupSchema.parse(JSON.parse(json.stdout)) }
  }

  test('comes out as a person who triages would say it', async () => {
    const { text, code, failures } = await lookedUp()
    if (expected.exitCode !== undefined) expect(code).toBe(expected.exitCode)
    if (expected.failures.length === 0) expect(failures).toEqual([])
    if (expected.mustNotList.includes('the check itself')) expect(failures.map((one) => one.testName)).not.toContain('')
    for (const want of expected.failures) {
      const named = want.test?.replaceAll('…', '').trim()
      const found = failures.filter(
        (one) =>
          (want.check ?? one.checkName) === one.checkName &&
          (named === undefined ||
            expected.failures.length === 1 ||
            one.testName.startsWith(named) ||
            (want.count !== undefined && one.testName.endsWith('_t'))),
      )
      expect(found.length).toBeGreaterThanOrEqual(want.count ?? 1)
      for (const one of found) {
        expect(want.classification).toContain(one.classification)
        if (want.classification.includes('fallout')) expect(one.causedBy).not.toBeNull()
        if (want.reason !== undefined) expect(one.reasons.map(({ kind }) => kind)).toContain(want.reason)
        if (want.unrelatedPullRequests !== undefined) {
          expect(one.unrelatedPullRequests).toBe(want.unrelatedPullRequests)
        }
      }
      for (const words of want.mustNotSay ?? []) expect(text).not.toContain(words)
      if (want.shouldSayPattern !== undefined) expect(text).toMatch(new RegExp(want.shouldSayPattern, 'i'))
    }
    expect(text.replace(/perf_triage_[\da-f]+/, 'a database')).toMatchSnapshot()
  })

  test.runIf(files.includes('checks-one-time.jsonl.gz'))('as it does for one time for a job', async () => {
    const [own, one] = [await lookedUp(), await lookedUp('checks-one-time.jsonl.gz')]
    expect(own).toEqual(one)
  })
})
