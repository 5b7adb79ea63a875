import { expect, test } from 'vitest'
import { bisectTable } from '../../../src/cli/commands/bisect-table.ts'
import type { TrunkPoint } from '../../../src/judge/history/trunk-series.ts'
import { windowWords } from '../../../src/report/step/words.ts'
import { bare } from '../../report/render/window-states.ts'

const OUTPUT = { write: () => {} }
const PLACE = { repositoryUrl: 'https://github.com/acme/database', seenFrom: Date.UTC(2026, 10, 21) }

test('the terminal says the ends, the interval and the recovery as the comment does, to the minute', () => {
  const { firstBad } = bare().step
  const pointOn = (day: number): TrunkPoint => ({
    ...firstBad,
    time: Date.UTC(2026, 5, day, 10, 30),
    commit: `${day}`.repeat(20),
  })
  const window = bare({ earliest: pointOn(12), latest: pointOn(18), recovered: pointOn(20) })
  const series = { ...window, source: 'ci-database', points: [firstBad] } as const
  const found = { windows: [{ series, window, problem: null }], unsure: [], histories: 1 }
  const terminal = bisectTable(found, true, { stdout: OUTPUT, stderr: OUTPUT, env: {} }).map((line) => line.trim())
  expect(terminal.slice(3, 6)).toEqual([
    'last good 5b7f2aa3c4d5 (2026-06-14 10:30 UTC), first bad e02d9c10a7b4 (2026-06-16 10:30 UTC)',
    '99% confidence: the first bad commit is between 121212121212 (2026-06-12 10:30 UTC) and 181818181818 (2026-06-18 10:30 UTC)',
    'fixed on the main branch since 202020202020 (2026-06-20 10:30 UTC)',
  ])

  const inComment = windowWords([window], PLACE)
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  expect(inComment).toContain('Last good `5b7f2aa` (Jun 14), first bad `e02d9c1` (Jun 16)')
  expect(inComment).toContain(
    '99% confidence: the first bad commit is between `1212121` (Jun 12) and `1818181` (Jun 18).',
  )
  expect(inComment).toContain('Fixed on the main branch since `2020202` (Jun 20).')
})
