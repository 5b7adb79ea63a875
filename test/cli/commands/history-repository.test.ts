import { expect, test } from 'vitest'
import { chosenRepository, numberOf, oneRepository } from '../../../src/cli/commands/history-repository.ts'

const stored = (repositoryId: number, repository: string | null = null) => ({ repositoryId, repository })

test('nothing is stored: the message says what to do', () => {
  expect(() => chosenRepository([])).toThrow('--repository')
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

test('a name is that of a stored report, in any case; a number is its own', async () => {
  const known = async () => await Promise.resolve([stored(5, 'acme/database'), stored(6)])
  expect(await numberOf({ name: 'Acme/Database' }, known)).toBe(5)
  expect(await numberOf({ id: 77 }, known)).toBe(77)
  await expect(numberOf({ name: 'acme/other' }, known)).rejects.toThrow('no report of acme/other is stored')
})

test('the number may stand in an option of its own, but not beside another one', () => {
  expect(oneRepository({ repositoryId: 5 })).toEqual({ id: 5 })
  expect(oneRepository({ repository: { name: 'a/b' } })).toEqual({ name: 'a/b' })
  expect(oneRepository({})).toBeUndefined()
  expect(() => oneRepository({ repository: { id: 5 }, repositoryId: 5 })).toThrow('give only one')
})

test('of several one has to be chosen; many are not all named', () => {
  expect(() => chosenRepository([stored(5, 'acme/database'), stored(6)])).toThrow(
    '2 repositories have history: 5 (acme/database) and 6; choose with --repository',
  )
  expect(() => chosenRepository(Array.from({ length: 30 }, (_, i) => stored(i + 1)))).toThrow(/10 and 20 more;/)
})
