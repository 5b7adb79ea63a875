import { expect, test } from 'vitest'
import { chosenRepository, repositoryOfName } from '../../src/commands/history-repository.ts'

const stored = (repositoryId: number, repository: string | null = null) => ({ repositoryId, repository })

test('nothing is stored: the message says what to do', () => {
  expect(() => chosenRepository([])).toThrow('--repository-id')
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

test('a name is that of a stored report, in any case', () => {
  const known = [stored(5, 'acme/database'), stored(6)]
  expect(repositoryOfName(known, 'Acme/Database')).toBe(5)
  expect(() => repositoryOfName(known, 'acme/other')).toThrow('no report of acme/other is stored')
})

test('of several one has to be chosen; many are not all named', () => {
  expect(() => chosenRepository([stored(5, 'acme/database'), stored(6)])).toThrow(
    '2 repositories have history: 5 (acme/database) and 6; choose with --repository-id',
  )
  expect(() => chosenRepository(Array.from({ length: 30 }, (_, i) => stored(i + 1)))).toThrow(/10 and 20 more;/)
})
