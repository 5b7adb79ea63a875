import { expect, test } from 'vitest'
import { replicatedOrNot } from '../../../../src/judge/verdict/evidence/replicated.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const arm = classifiedQuery({ architecture: 'arm' })

test('the same significant move on another architecture replicates it where it is at least half as large', () => {
  const amd = classifiedQuery({ architecture: 'amd', difference: 0.1, threshold: 0.03, outcome: 'too-small' })
  expect(replicatedOrNot(arm, [amd, arm])).toEqual({ kind: 'replicated', architectures: ['amd'] })
  const less = { ...amd, difference: 0.099 }
  expect(replicatedOrNot(arm, [less, arm])).toBeNull()
})

test('samples that do not overlap are significant by rule', () => {
  const amd = classifiedQuery({
    architecture: 'amd',
    difference: 0.14,
    threshold: 0.141,
    separated: true,
    outcome: 'too-small',
  })
  expect(replicatedOrNot(arm, [amd, arm])?.kind).toBe('replicated')
})

test('a move that is not significant elsewhere narrows the claim to one architecture', () => {
  const amd = classifiedQuery({ architecture: 'amd', difference: 0.04, threshold: 0.06, outcome: 'not-significant' })
  expect(replicatedOrNot(arm, [amd, arm])).toEqual({ kind: 'one-architecture', architecture: 'arm', others: ['amd'] })
})

test('noise on the other architecture, or a move the other way, narrows nothing', () => {
  const unstable = classifiedQuery({ architecture: 'amd', difference: 0.04, threshold: 0.4, outcome: 'unstable' })
  const faster = classifiedQuery({ architecture: 'amd', difference: -0.2, direction: 'faster' })
  expect(replicatedOrNot(arm, [unstable, arm])).toBeNull()
  expect(replicatedOrNot(arm, [faster, arm])).toBeNull()
})

test('one architecture alone says nothing, nor does one that was not compared', () => {
  const failed = classifiedQuery({ architecture: 'amd', status: 'failed', difference: null, outcome: null })
  expect(replicatedOrNot(arm, [arm])).toBeNull()
  expect(replicatedOrNot(arm, [failed, arm])).toBeNull()
})
