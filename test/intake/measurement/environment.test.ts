import { describe, expect, test } from 'vitest'
import {
  differingFields,
  differingIn,
  ENVIRONMENT_FIELDS,
  environmentOf,
  type SideEnvironment,
} from '../../../src/intake/measurement/environment.ts'

function meaning(old: SideEnvironment, fresh: SideEnvironment) {
  const environments = { architecture: null, old, new: fresh, differing: differingIn(old, fresh) }
  return Object.fromEntries(
    (['machine', 'change', 'said'] as const).flatMap((one) => {
      const fields = differingFields(environments, one)
      return fields.length === 0 ? [] : [[one, fields.join()]]
    }),
  )
}

describe('what differs between the sides', () => {
  test('is a machine, may be the change, or says nothing', () => {
    const all = (text: string) => Object.fromEntries(ENVIRONMENT_FIELDS.map((field) => [field, [text]]))
    const [old, fresh] = [all('a'), all('b')]
    expect(meaning({ ...old, clock: ['1 GHz'] }, { ...fresh, clock: ['2 GHz'] })).toEqual({
      machine: 'cpu,caches,clock,cpus,os,architecture,build',
      change: 'runtime,compiler,flags',
      said: 'host',
    })
    expect(meaning(old, old)).toEqual({})
  })

  test.each([
    [['Linux'], ['Windows'], 'machine'],
    [['linux'], ['darwin'], 'machine'],
    [['macOS Sonoma 14.1'], ['Darwin'], 'change'],
    [['Ubuntu 22.04.3 LTS'], ['Debian GNU/Linux 12'], 'change'],
    [['Windows 10'], ['Windows 11'], 'change'],
  ] as const)(
    'another system is another machine, another version of it may be the change: %s, %s',
    (old, fresh, means) => {
      expect(meaning({ os: old }, { os: fresh })).toEqual({ [means]: 'os' })
    },
  )

  test('is no clock that virtual machines of one kind tell differently', () => {
    expect(meaning({ clock: ['2.4 GHz'] }, { clock: ['2.6 GHz'] })).toEqual({})
    expect(meaning({ clock: ['2.4 GHz'] }, { clock: ['3.5 GHz'] })).toEqual({ machine: 'clock' })
  })

  test('is also a part of what a side was measured on', () => {
    expect(meaning({ cpu: ['A'] }, { cpu: ['A', 'B'] })).toEqual({ machine: 'cpu' })
    expect(meaning({ cpu: ['B', 'A'] }, { cpu: ['A', 'B'] })).toEqual({})
  })
})

test('an environment has one spelling, whatever tool says it, and no empty values', () => {
  expect(environmentOf({ architecture: 'X64', build: 'RELEASE', cpu: ' AMD \n EPYC ', cpus: 8, host: '' })).toEqual({
    architecture: 'amd64',
    build: 'release',
    cpu: 'AMD EPYC',
    cpus: '8',
  })
  expect(environmentOf({ architecture: 'aarch64' })).toEqual({ architecture: 'arm64' })
  expect(environmentOf({ host: null, cpu: undefined })).toBeNull()
  for (const architecture of ['constructor', '__proto__'])
    expect(environmentOf({ architecture })).toEqual({ architecture })
})
