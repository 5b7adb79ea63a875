import { describe, expect, test } from 'vitest'
import type { RunContents } from '../../../../src/intake/measurement/run.ts'
import { codes, readTexts } from '../read-text.ts'

/** Two PHP clients of ClickHouse that select the same rows, as a post shows them. */
const SEASCLICK = ` Performance counter stats for 'php select-seasclick.php 1000 1000':

        896.48 msec task-clock:u              #    0.482 CPUs utilized
             0      context-switches:u        #    0.000 K/sec
         1,962      page-faults:u             #    0.002 M/sec
 3,316,728,038      cycles:u                  #    3.700 GHz
 6,019,365,862      instructions:u            #    1.81  insn per cycle
 1,316,036,409      branches:u                # 1468.000 M/sec           (2.7x)
    10,073,424      branch-misses:u           #    0.77% of all branches (3.4x)

       1.859917081 seconds time elapsed
`
const ORZCLICK = ` Performance counter stats for 'php select-orzclick.php 1000 1000':

        496.85 msec task-clock:u              #    0.340 CPUs utilized
             0      context-switches:u        #    0.000 K/sec
         1,977      page-faults:u             #    0.004 M/sec
 1,761,248,425      cycles:u                  #    3.545 GHz
 2,601,973,475      instructions:u            #    1.48  insn per cycle
   487,402,260      branches:u                #  980.986 M/sec
     2,879,008      branch-misses:u           #    0.59% of all branches

       1.461323529 seconds time elapsed
`
const VALUES = {
  'task-clock': [0.89648, 0.49685],
  'context-switches': [0, 0],
  'page-faults': [1962, 1977],
  cycles: [3_316_728_038, 1_761_248_425],
  instructions: [6_019_365_862, 2_601_973_475],
  branches: [1_316_036_409, 487_402_260],
  'branch-misses': [10_073_424, 2_879_008],
  'instructions-per-cycle': [6_019_365_862 / 3_316_728_038, 2_601_973_475 / 1_761_248_425],
  'branch-miss-rate': [10_073_424 / 1_316_036_409, 2_879_008 / 487_402_260],
}

/** `[old, new]` of each metric. */
function valuesOf({ measurements }: RunContents): Record<string, unknown> {
  return Object.fromEntries(measurements.map(({ metric, old, new: fresh }) => [metric, [...old, ...fresh]]))
}

const csv = (text: string) =>
  [...text.matchAll(/^ +([\d,.]+) (msec)? +(\S+):u /gm)]
    .map(([, value, unit = '', event]) => `${value!.replaceAll(',', '')},${unit},${event}:u,896480000,100.00,,\n`)
    .join('')

const json = (text: string) =>
  [...text.matchAll(/^ +([\d,.]+) (msec)? +(\S+):u /gm)]
    .map(
      ([, value, unit = '', event]) =>
        `{"counter-value" : "${value!.replaceAll(',', '')}", "unit" : "${unit}", "event" : "${event}:u", "event-runtime" : 896480000, "pcnt-running" : 100.00}\n`,
    )
    .join('')

describe('perf stat', () => {
  test('text: counters of two programs, and what follows from them', async () => {
    const contents = await readTexts({ 'old/perf.txt': SEASCLICK, 'new/perf.txt': ORZCLICK })
    expect(valuesOf(contents)).toEqual({ ...VALUES, real: [1.859917081, 1.461323529] })
    expect(contents.labels).toEqual({
      kind: 'program',
      old: ['php select-seasclick.php 1000 1000'],
      new: ['php select-orzclick.php 1000 1000'],
    })
    expect(new Set(contents.measurements.map(({ test: name }) => name))).toEqual(new Set(['perf-stat']))
    expect(contents.decides).toBe('real')
    const of = (metric: string) => contents.measurements.find((one) => one.metric === metric)
    expect(of('task-clock')).toMatchObject({ unit: 's', notes: ['user-space-only'] })
    expect(of('branches')).toMatchObject({ unit: '1' })
    expect(of('instructions-per-cycle')).toMatchObject({ unit: '1', better: 'higher' })
    expect(of('branches')).not.toHaveProperty('better')
  })

  test.each([
    ['CSV', 'csv', csv],
    ['JSON', 'json', json],
  ])('%s has the same values', async (_, ending, form) => {
    const contents = await readTexts({ [`a-old.${ending}`]: form(SEASCLICK), [`a-new.${ending}`]: form(ORZCLICK) })
    expect(valuesOf(contents)).toEqual(VALUES)
    expect(codes(contents)).toEqual([])
  })

  test('several files and several outputs in a file are repetitions, equal ones too', async () => {
    const contents = await readTexts({
      'old/1.txt': SEASCLICK,
      'old/2.txt': SEASCLICK + SEASCLICK.replace('1,316,036,409', '1,316,036,410'),
      'new/1.txt': ORZCLICK.replaceAll('orzclick', 'seasclick'),
    })
    expect(valuesOf(contents)).toMatchObject({ branches: [1_316_036_409, 1_316_036_409, 1_316_036_410, 487_402_260] })
    expect(contents).not.toHaveProperty('labels')
    expect(contents.measurements[0]).toMatchObject({ test: 'php select-seasclick.php 1000 1000' })
  })

  test('the mean of -r is a summary', async () => {
    const text = ` Performance counter stats for 'sleep 1' (5 runs):

              1.10 msec task-clock                #    0.001 CPUs utilized            ( +-  2.50% )
         1,000,000      cycles                    #    0.909 GHz                      ( +-  1.00% )  (74.20%)
     <not counted>      branches
   <not supported>      LLC-loads

           1.00212 +- 0.00010 seconds time elapsed  ( +-  0.01% )
`
    const contents = await readTexts({ 'old.txt': text, 'new.txt': text })
    const given = { kind: 'mean', value: 1_000_000, lower: 990_000, upper: 1_010_000, spread: 0.01, repetitions: 5 }
    expect(contents.measurements.find(({ metric }) => metric === 'cycles')).toMatchObject({
      given: { old: given, new: given },
      notes: ['multiplexed'],
    })
    expect(valuesOf(contents)).toEqual({ 'task-clock': [0.0011, 0.0011], cycles: [1e6, 1e6], real: [1.00212, 1.00212] })
    expect(contents.warnings.map(({ message }) => message)).toEqual(
      ['old', 'new'].flatMap(() => [
        'not counted, so they have no value: branches',
        'not supported, so they have no value: LLC-loads',
      ]),
    )
    const line = '1000000,,cycles,1.00%,1100000,74.20,0.909,GHz\n'
    const ofCsv = await readTexts({ 'old.csv': line, 'new.csv': line })
    expect(ofCsv.measurements).toMatchObject([
      { given: { old: { ...given, repetitions: null } }, notes: ['multiplexed'] },
    ])
  })

  test.each<[string, string, Record<string, number>]>([
    [
      'an older version',
      '        26,554473 task-clock (msec)       #    0,965 CPUs utilized\n        77 375 671 cycles  #  2,914 GHz\n',
      { 'task-clock': 0.026554473, cycles: 77_375_671 },
    ],
    [
      'a hybrid CPU',
      '   12.250.330.486      cpu_atom/instructions:u/     #    1,10  insn per cycle    (0,37%)\n',
      { 'cpu_atom/instructions/': 12_250_330_486 },
    ],
    [
      'a newer version',
      '    1,000      cpu-cycles:u     #      5.5 GHz  cycles_frequency\n    3,000   instructions:u\n    TopdownL1 (cpu_core)  #  10.3%  tma_bad\n',
      { 'cpu-cycles': 1000, instructions: 3000, 'instructions-per-cycle': 3 },
    ],
  ])('lines of %s', async (_, lines, values) => {
    const text = ` Performance counter stats for 'a':\n\n${lines}\n       1.5 seconds time elapsed\n`
    const { measurements } = await readTexts({ 'new.txt': text })
    expect(Object.fromEntries(measurements.map(({ metric, new: fresh }) => [metric, fresh[0]]))).toEqual({
      ...values,
      real: 1.5,
    })
  })

  test('lines of CSV and JSON that real versions print', async () => {
    const line = '123456,,cpu/event=0x3c,umask=0x0/,1234000000,50.00,,\n,,,,,,1.5,stalled cycles per insn\n'
    const ofCsv = await readTexts({ 'new.csv': `# started on Mon\n\n${line}` })
    expect(ofCsv.measurements).toMatchObject([{ metric: 'cpu/event=0x3c,umask=0x0/', new: [123_456] }])
    const object =
      '{"counter-value" : "3112.000000", "unit" : "", "event" : "cpu_core/cycles/u", "event-runtime" : 20699340, "pcnt-running" : 100.00, }'
    const ofJson = await readTexts({
      'new.json': `# started\n\n${object}\n{"metric-value" : 0.19, "metric-unit" : "x"}\n`,
    })
    expect(ofJson.measurements).toMatchObject([{ metric: 'cpu_core/cycles/', new: [3112], notes: ['user-space-only'] }])
  })

  const interval = (time: string, place: string) => [
    `     ${time}${place} 2.94 msec task-clock          #    0.059 CPUs utilized\n`,
    `     ${time}${place}              77      page-faults         #   26.167 K/sec\n`,
    `     ${time}${place}    <not supported>      cycles\n`,
  ]
  const header = '# started on Mon\n\n#           time             counts unit events\n'
  const slept = '     0.100000000      <not counted> msec task-clock\n'
  const summary = ` Performance counter stats for 'a':\n\n  5.80 msec task-clock\n 154      page-faults\n\n  0.14 seconds time elapsed\n`
  const csvAt = (before: string) =>
    `${before}2.94,msec,task-clock,2891625,100.00,0.058,CPUs utilized\n${before}77,,page-faults,2891625,50.00,25.937,K/sec\n`
  const jsonAt = (before: string) =>
    `{${before}, "counter-value" : "2.940000", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1, "pcnt-running" : 100.00}\n{${before}, "counter-value" : "77.000000", "unit" : "", "event" : "page-faults", "event-runtime" : 1, "pcnt-running" : 100.00}\n`
  const all = { 'task-clock': 0.00588, 'page-faults': 154 }
  test.each<[string, string, Record<string, number>]>([
    [
      'intervals (-I)',
      header + interval('0.050000000', '').join('') + slept + header + interval('0.125824704', '').join(''),
      { ...all, real: 0.125824704 },
    ],
    [
      'intervals and their summary',
      header + interval('0.05', '').join('') + summary,
      { 'task-clock': 0.0058, 'page-faults': 154, real: 0.14 },
    ],
    [
      'intervals of CPUs',
      header.replace('time ', 'time CPU ') + interval('0.05', ' CPU0').join('') + interval('0.05', ' CPU1').join(''),
      { ...all, real: 0.05 },
    ],
    [
      'CPUs (-A)',
      ` Performance counter stats for 'system wide':\n\nCPU0   2.94 msec task-clock   # 1\nCPU1   2.94 msec task-clock\nCPU0   77   page-faults\nCPU1   77   page-faults\n\n  0.05 seconds time elapsed\n`,
      { ...all, real: 0.05 },
    ],
    [
      'cores',
      ` Performance counter stats for 'system wide':\n\nS0-D0-C0   1   2.94 msec task-clock\nS0-D0-C1  1  2.94 msec task-clock\nS0-D0-C0  1  77   page-faults\nS0-D0-C1  1 77   page-faults\nS0-D0-C1  1  <not supported>  cycles\n\n  0.05 seconds time elapsed\n`,
      { ...all, real: 0.05 },
    ],
    [
      'intervals as CSV',
      csvAt('     0.050506515,') + csvAt('     0.127222545,') + csvAt('         summary,'),
      { ...all, real: 0.127222545 },
    ],
    ['CPUs as CSV', csvAt('CPU0,') + csvAt('CPU1,'), all],
    ['sockets as CSV', csvAt('S0,2,') + csvAt('S1,2,'), all],
    ['intervals as JSON', jsonAt('"interval" : 0.05') + jsonAt('"interval" : 0.12'), { ...all, real: 0.12 }],
    ['CPUs as JSON', jsonAt('"cpu" : "0"') + jsonAt('"cpu" : "1"'), all],
    [
      'nodes as JSON',
      jsonAt('"node" : "N0", "aggregate-number" : 2') + jsonAt('"node" : "N1", "aggregate-number" : 2'),
      all,
    ],
  ])('%s are added up', async (_, text, values) => {
    const contents = await readTexts({ 'new.txt': text })
    expect(Object.fromEntries(contents.measurements.map(({ metric, new: fresh }) => [metric, fresh[0]]))).toEqual(
      values,
    )
    expect(contents.measurements.every(({ new: fresh }) => fresh.length === 1)).toBe(true)
    expect(contents.warnings.filter(({ message }) => !message.startsWith('not supported'))).toEqual([])
  })

  test('an output that was appended is a repetition, and the part with the least time on says so', async () => {
    const { measurements } = await readTexts({
      'new.csv': csvAt('     0.05,') + csvAt('     0.02,').replace('77,,', '80,,'),
    })
    expect(measurements).toMatchObject([
      { metric: 'page-faults', new: [77, 80], notes: ['multiplexed'] },
      { metric: 'real', new: [0.05, 0.02] },
      { metric: 'task-clock', new: [0.00294, 0.00294] },
    ])
  })

  test('the table of -r is the elapsed time of each run', async () => {
    const text = ` Performance counter stats for 'sleep 0.02' (2 runs):

              1.48 msec task-clock                       #    0.048 CPUs utilized            ( +-  0.07% )

          # Table of individual measurements:
          0.031595 (+0.000760) #
          0.030076 (-0.000760) #

          # Final result:
          0.030835 +- 0.000760 seconds time elapsed  ( +-  2.46% )
`
    const { measurements } = await readTexts({ 'new.txt': text })
    expect(measurements).toMatchObject([
      { metric: 'real', new: [0.031595, 0.030076] },
      { metric: 'task-clock', given: { new: { kind: 'mean', repetitions: 2 } } },
    ])
    expect(measurements[0]).not.toHaveProperty('given')
  })

  test('the first metric decides where there is none of those that do', async () => {
    const { decides } = await readTexts({ 'new.csv': '1,,LLC-loads,1,100.00,,\n' })
    expect(decides).toBe('LLC-loads')
  })

  test('marks of other languages', async () => {
    const german = SEASCLICK.replaceAll(/[\d.,]{2,}(?= +(?:msec|\w[\w-]+:u|seconds))/g, (number) =>
      number.replaceAll(/[.,]/g, (mark) => (mark === '.' ? ',' : '.')),
    )
    expect(german).toContain('896,48 msec')
    expect(german).toContain('1.316.036.409')
    const contents = await readTexts({ 'old.txt': SEASCLICK, 'new.txt': german })
    for (const [old, fresh] of Object.values(valuesOf(contents)) as [number, number][]) expect(fresh).toBe(old)
  })
})

describe('time', () => {
  const bash = (real: string, user: string, sys: string) => `\nreal    ${real}\nuser    ${user}\nsys ${sys}\n`

  test.each([
    ['a shell', bash('0m3.894s', '0m0.030s', '0m0.061s'), bash('0m0.422s', '0m0.050s', '0m0.022s')],
    ['POSIX', 'real 3.894\nuser 0.030\nsys 0.061\n', 'real 0.422\nuser 0.050\nsys 0.022\n'],
  ])('as %s has it', async (_, old, fresh) => {
    const contents = await readTexts({
      'time-old.txt': `$ time php a\n${old}`,
      'time-new.txt': `$ time php b\n${fresh}`,
    })
    expect(valuesOf(contents)).toEqual({
      real: [3.894, 0.422],
      user: [0.03, 0.05],
      sys: [0.061, 0.022],
      'cpu-time': [0.091, 0.072],
      'waiting-share': [1 - 0.091 / 3.894, 1 - 0.072 / 0.422],
    })
    expect(contents.labels).toEqual({ kind: 'program', old: ['php a'], new: ['php b'] })
  })

  test('minutes; a program on several CPUs does not wait', async () => {
    const text = bash('2m3.004s', '7m0.000s', '0m1.000s')
    const contents = await readTexts({ 'old.txt': text, 'new.txt': text })
    expect(valuesOf(contents)).toMatchObject({ real: [123.004, 123.004], 'cpu-time': [421, 421] })
    expect(valuesOf(contents)).not.toHaveProperty('waiting-share')
  })

  test('a time with its unit is whole where the file has no end of line', async () => {
    const text = bash('2m3.004s', '7m0.000s', '0m1.000s').trimEnd()
    expect(valuesOf(await readTexts({ 'old.txt': text, 'new.txt': text }))).toMatchObject({ 'cpu-time': [421, 421] })
    const lines = csv(SEASCLICK)
    expect(valuesOf(await readTexts({ 'old.csv': lines, 'new.csv': lines.trimEnd() }))).toEqual(
      valuesOf(await readTexts({ 'old.csv': lines, 'new.csv': lines })),
    )
    const cut = 'real 3.89\nuser 0.03\nsys 0'
    await expect(readTexts({ 'old.txt': cut, 'new.txt': cut })).rejects.toThrow('its last line has no newline')
  })
})

describe('hostile', () => {
  const line = '1,,a,1,100.00,,\n'
  test.each<[string, string, string, string]>([
    ['cut text', 'a.txt', SEASCLICK.slice(0, 500), 'it was cut'],
    ['cut CSV', 'a.csv', csv(SEASCLICK).trimEnd().slice(0, -4), 'its last line has no newline, so it was cut off'],
    ['cut JSON', 'a.json', json(SEASCLICK).slice(0, -20), 'line 7 is not JSON: it was cut'],
    ['cut time', 'a.time', 'real 3.89\nuser 0.03\n', 'sys is missing, so it was cut'],
    ['no counters', 'a.txt', " Performance counter stats for 'x':\n\n", 'it has neither a counter'],
    [
      'a wrong type',
      'a.json',
      json(SEASCLICK).replace('"cycles:u"', '7'),
      'line 4 is not a counter of perf stat -j: event',
    ],
    ['one thread', 'a.json', json(SEASCLICK).replace('{', '{"thread" : "php-12", '), 'perf stat -j: thread'],
    [
      'intervals without a value',
      'a.csv',
      Array.from(
        { length: 5000 },
        (_, n) => `     ${(n / 100 + 1).toFixed(3)},<not counted>,,cycles,0,100.00,,\n`,
      ).join(''),
      'it has neither a counter',
    ],
    [
      'a million names',
      'a.csv',
      Array.from({ length: 1e5 }, (_, n) => line.replace('a', `a${n}`)).join(''),
      'more than 10,000 values',
    ],
    ['huge', 'a.csv', line + ` ${'x'.repeat(500_000)}\n`.repeat(10), 'more than 4,194,304 characters'],
    [
      'several units',
      'a.txt',
      SEASCLICK + SEASCLICK.replace('1,962     ', '1,962 MiB '),
      'page-faults is in 1 and in MiB',
    ],
  ])('%s is one line of error', async (_, name, text, message) => {
    const reading = readTexts({ [name]: text }, { direct: true, side: 'old' })
    await expect(reading).rejects.toThrow(message)
    await expect(reading).rejects.toMatchObject({ name: 'SourceError' })
  })

  test('a file of no side', async () => {
    await expect(readTexts({ 'perf.txt': SEASCLICK }, { direct: true })).rejects.toThrow('use --old or --new')
    await expect(readTexts({ 'perf.txt': SEASCLICK })).rejects.toThrow('nothing says which')
  })

  test('beside good ones in a folder it is a warning', async () => {
    const contents = await readTexts({
      'old/a.txt': SEASCLICK,
      'new/a.txt': ORZCLICK,
      'new/b.txt': ORZCLICK.slice(0, 300),
    })
    expect(codes(contents)).toEqual(['unreadable-member new/b.txt'])
    expect(valuesOf(contents)).toMatchObject(VALUES)
  })
})
