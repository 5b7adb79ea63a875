import { expect, test } from 'vitest'
import { chosenRepository } from '../../src/commands/history-repository.ts'

const stored = (repositoryId: number, repository: string | null = null) => ({ repositoryId, repository })

test('nothing, or only what was imported for any: 0', () => {
  expect(chosenRepository([])).toEqual({ id: 0, note: null })
  expect(chosenRepository([stored(0), stored(0)])).toEqual({ id: 0, note: null })
})

test('the only repository with a history is taken, and named', () => {
  expect(chosenRepository([stored(5, 'acme/database'), stored(5, 'acme/database')])).toEqual({
    id: 5,
    note: 'the history of repository 5 (acme/database), the only one stored',
  })
  expect(chosenRepository([stored(7)])).toMatchObject({
    id: 7,
    note: expect.stringContaining('repository 7,') as string,
  })
})

test('beside what was imported for any the others are named', () => {
  expect(chosenRepository([stored(0), stored(5, 'acme/database')])).toEqual({
    id: 0,
    note: 'only what was imported for any repository; of their own have history: 5 (acme/database) (--repository-id)',
  })
})

test('of several one has to be chosen; many are not all named', () => {
  expect(() => chosenRepository([stored(5, 'acme/database'), stored(6)])).toThrow(
    '2 repositories have history: 5 (acme/database) and 6; choose with --repository-id',
  )
  expect(() => chosenRepository(Array.from({ length: 30 }, (_, i) => stored(i + 1)))).toThrow(/10 and 20 more;/)
})
