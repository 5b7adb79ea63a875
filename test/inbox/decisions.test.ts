import { expect, onTestFinished, test } from 'vitest'
import { Decisions } from '../../src/inbox/decisions.ts'
import type { Decision } from '../../src/report/acceptance.ts'
import { openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MUTE: Decision = {
  kind: 'mute',
  subject: null,
  reason: 'two modes since May',
  until: null,
  via: 'command',
  actor: 'octocat',
  actorId: 583231,
  saidAt: 5,
}
const row = { key: '["a","SELECT 1"]', name: 'a #0', test: 'a', difference: 0.12, failed: false }
const subject = { head: 'abc', rows: [row], suites: [], unknowns: ['nothing-judged' as const] }
const ACCEPT: Decision = { ...MUTE, kind: 'accept', subject, until: 1_800_000_000_000, saidAt: 3 }

test('decisions are kept as they were made, in the order in which they were said, and never changed', async () => {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  const decisions = new Decisions(database)
  const first = await decisions.add(7, 3, MUTE, new Date(6))
  expect(await decisions.add(7, 3, ACCEPT, 7)).toBeGreaterThan(first)
  await decisions.add(7, 4, MUTE, 8)
  await decisions.add(8, 3, MUTE, 8)
  expect(await decisions.list(7, 3)).toEqual([ACCEPT, MUTE])
  await expect(database.run({ name: 'change', text: 'DELETE FROM decisions' })).rejects.toThrow('append-only')
  await expect(database.run({ name: 'change', text: "UPDATE decisions SET reason = ''" })).rejects.toThrow(
    'append-only',
  )
})
