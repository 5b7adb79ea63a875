import { expect, test } from 'vitest'
import type { Environments } from '../../../../src/intake/measurement/environment.ts'
import { otherMachine } from '../../../../src/judge/verdict/evidence/other-machine.ts'

const LINUX: Environments = {
  architecture: 'linux/amd64',
  old: { cpu: ['EPYC 9V74'], runtime: ['go1.24'], host: ['a'] },
  new: { cpu: ['EPYC 7763'], runtime: ['go1.25'], host: ['b'] },
  differing: ['cpu', 'runtime', 'host'],
}
const MAC: Environments = { ...LINUX, architecture: 'darwin/arm64', differing: ['runtime', 'host'] }

test('sides on different machines are told with what differs, of the rows of their architecture', () => {
  expect(otherMachine({ architecture: 'linux/amd64' }, [MAC, LINUX])).toEqual({
    kind: 'other-machine',
    architecture: 'linux/amd64',
    fields: [{ field: 'cpu', old: ['EPYC 9V74'], new: ['EPYC 7763'] }],
  })
  expect(otherMachine({ architecture: 'darwin/arm64' }, [MAC, LINUX])).toBeNull()
  expect(otherMachine({ architecture: null }, [MAC, LINUX])).toBeNull()
})

test('nothing is told where no tool says where it measured', () => {
  expect(otherMachine({ architecture: null })).toBeNull()
})
