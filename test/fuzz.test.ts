import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { Chance, mutated } from '../bench/fuzz/mutate.ts'
import { caseOf, runCase, scratchFolder, TARGETS } from '../bench/fuzz/targets.ts'

const folder = scratchFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A sample of what `node bench/fuzz.ts` runs a million of; none of them is among those. */
const FIRST = 20_000_000
const CASES = 600

test('files, archives, tables, webhooks, comments and settings with faults: a line for a person at the most', async () => {
  const seen = new Set<string>()
  for (let number = FIRST; number < FIRST + CASES; number += 1) {
    seen.add(caseOf(number).target.name)
    await expect(runCase(number, folder), `node bench/fuzz.ts --from ${number} --cases 1`).resolves.toBeUndefined()
  }
  expect(seen.size).toBe(TARGETS.length)
})

test('a case is the same whenever it runs', () => {
  const bytes = () => mutated(Buffer.from('{"a": [1, 2]}\n'), new Chance(7), [Buffer.from('x')]).toString('latin1')
  expect(bytes()).toBe(bytes())
})
