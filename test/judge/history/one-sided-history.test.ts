import { expect, test } from 'vitest'
import { comparableRuns } from '../../../src/judge/history/one-sided-history.ts'

const place = { check: 'bench', architecture: null, shard: null }
const run = (machine: string, time: number) => ({ ...place, time, ...(machine !== '?' && { machine }) })
const runs = (machines: readonly string[]) => machines.map((machine, time) => run(machine, time))
const TRUNK = runs([...Array<string>(20).fill('epyc'), ...Array<string>(20).fill('xeon')])

/** Machines of the jobs that are kept, and of the trunk's runs that they are held against. */
function compared(jobs: readonly string[], trunk = TRUNK) {
  const found = comparableRuns(place, trunk, runs(jobs))
  const machineOf = ({ machine }: { machine?: string }) => machine ?? '?'
  return { jobs: found.jobs.map(machineOf), trunk: [...new Set(found.trunk.map(machineOf))] }
}

test.each([
  [['epyc', 'epyc', 'xeon'], ['epyc', 'epyc'], ['epyc']],
  [['epyc', 'xeon'], ['xeon'], ['xeon']],
  // a job that names no machine may be on any: it takes part, wherever it stands
  [['?', '?', 'epyc'], ['?', '?', 'epyc'], ['epyc']],
  [['?', 'epyc', '?'], ['?', 'epyc', '?'], ['epyc']],
  [['epyc', '?', '?'], ['epyc', '?', '?'], ['epyc']],
  [
    ['?', '?'],
    ['?', '?'],
    ['epyc', 'xeon'],
  ],
  [
    ['arm', 'epyc', 'arm'],
    ['arm', 'epyc', 'arm'],
    ['epyc', 'xeon'],
  ],
])('jobs on %j: %j against %j', (jobs, kept, trunk) => {
  expect(compared(jobs)).toEqual({ jobs: kept, trunk })
})

test('without a history no job is left out', () => {
  expect(compared(['epyc', 'xeon', 'epyc'], [])).toEqual({ jobs: ['epyc', 'xeon', 'epyc'], trunk: [] })
})
