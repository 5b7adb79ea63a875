import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { LONGEST_COMMENT, readEvent } from '../../src/bot/events/event.ts'
import { hintsOf, repositoryChangesOf, trunkOf } from '../../src/bot/events/wakes.ts'
import { argumentsOf } from '../../src/bot/slash/arguments.ts'
import { commandOf } from '../../src/bot/slash/commands.ts'
import { commandsIn } from '../../src/bot/slash/comment-commands.ts'
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts'
import { readUploadedRun } from '../../src/intake/archive/read-run.ts'
import { NOTHING_GIVEN } from '../../src/intake/imports/checks/given-values.ts'
import { JobTime } from '../../src/intake/imports/checks/job-time.ts'
import { openCiResults } from '../../src/intake/imports/checks/read-check-rows.ts'
import { openTrunkRows } from '../../src/intake/imports/history/read-trunk-rows.ts'
import { parseLogField } from '../../src/intake/imports/query-log/field.ts'
import { QueryLogReader } from '../../src/intake/imports/query-log/read-query-log.ts'
import { SourceError } from '../../src/intake/measurement/source.ts'
import { mediansOfRepetitions } from '../../src/judge/history/medians-of-repetitions.ts'
import { metricsOfReport } from '../../src/judge/verdict/evidence/different-work.ts'
import { makeTar } from '../../test/intake/archive/make-tar.ts'
import { makeZip } from '../../test/intake/archive/make-zip.ts'
import { CORPUS, type Seed } from './corpus.ts'
import { Chance, mutated } from './mutate.ts'

const WARNINGS = { add() {} }
/** As the bot reads first. */
const OF_REPORT = new Set(metricsOfReport('client_time'))

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows) {
    // Only that they can be read.
  }
}

async function* inPieces(bytes: Buffer, chance: Chance): AsyncGenerator<Uint8Array> {
  const size = chance.oneIn(3) ? 1 + chance.below(100) : 65_536
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const bytesOf = (seeds: readonly Seed[]) => seeds.map(({ bytes }) => bytes)
const OTHERS = { files: bytesOf(CORPUS.files), tables: bytesOf(CORPUS.tables), webhooks: bytesOf(CORPUS.webhooks) }

/** Some files of a run in an archive of any kind, in which anything may be wrong: a file, the archive, or its compression. */
function packed(chance: Chance): Seed {
  const files = Array.from({ length: 1 + chance.below(3) }, () => {
    const seed = chance.of(CORPUS.files)
    return { name: seed.path, data: chance.oneIn(2) ? mutated(seed.bytes, chance, OTHERS.files) : seed.bytes }
  })
  const kind = chance.below(6)
  if (kind === 0) return { path: basename(files[0]!.name), bytes: files[0]!.data }
  let bytes = kind % 2 === 0 ? makeZip(files) : makeTar(files)
  let path = kind % 2 === 0 ? 'run.zip' : 'run.tar'
  if (chance.oneIn(3)) {
    const isGzip = chance.oneIn(2)
    bytes = isGzip ? gzipSync(bytes, { level: 1 }) : zstdCompressSync(bytes)
    path += isGzip ? '.gz' : '.zst'
  }
  if (chance.oneIn(4)) {
    bytes = makeZip([{ name: path, data: bytes, stored: true }])
    path = 'outer.zip'
  }
  return { path, bytes: chance.oneIn(2) ? mutated(bytes, chance, OTHERS.files) : bytes }
}

export interface Target {
  readonly name: string
  /** Of twenty cases how many are of it: a file on the disk takes ten times as long as a webhook. */
  readonly share: number
  /** One case; what a person may be told is no failure, anything else that is thrown is. */
  run(chance: Chance, folder: string): Promise<void> | void
}

export const TARGETS: readonly Target[] = [
  {
    name: 'run',
    share: 1,
    async run(chance, folder) {
      const { path, bytes } = packed(chance)
      const file = join(folder, path)
      writeFileSync(file, bytes)
      try {
        JSON.stringify(await readUploadedRun(file, chance.oneIn(2) ? { metrics: OF_REPORT } : {}))
      } finally {
        rmSync(file)
      }
    },
  },
  {
    name: 'ci-results',
    share: 4,
    async run(chance) {
      const bytes = mutated(chance.of(CORPUS.tables).bytes, chance, OTHERS.tables)
      const options = { format: 'auto', given: NOTHING_GIVEN, time: new JobTime(0), warnings: WARNINGS }
      const file = await openCiResults({ where: 'file', bytes: inPieces(bytes, chance), modified: 0 }, options)
      await drain(file.rows())
    },
  },
  {
    name: 'history',
    share: 4,
    async run(chance) {
      const bytes = mutated(chance.of(CORPUS.tables).bytes, chance, OTHERS.tables)
      const options = { trunk: ['master', 'main'], medians: mediansOfRepetitions, warnings: WARNINGS, skipped() {} }
      await drain((await openTrunkRows('file', inPieces(bytes, chance), options)).rows())
    },
  },
  {
    name: 'query-log',
    share: 2,
    async run(chance) {
      const bytes = mutated(chance.of(CORPUS.tables).bytes, chance, OTHERS.tables)
      const field = parseLogField(chance.of(['Settings.max_threads', 'tables', 'type']))!
      const reader = new QueryLogReader({
        side: { field, variants: ['1', '2'] },
        group: null,
        metric: null,
        warnings: WARNINGS,
      })
      await reader.read('file', inPieces(bytes, chance))
      reader.finish()
    },
  },
  {
    name: 'webhook',
    share: 5,
    run(chance) {
      const seed = chance.of(CORPUS.webhooks)
      const text = mutated(seed.bytes, chance, OTHERS.webhooks).toString('utf8')
      let payload: unknown
      try {
        payload = JSON.parse(text)
      } catch {
        payload = changed(JSON.parse(seed.bytes.toString('utf8')), chance)
      }
      const name = seed.path.split('/')[1]!
      const event = readEvent(chance.oneIn(20) ? '__proto__' : name, payload)
      hintsOf(event, { appId: 1, botLogin: 'perf-triage[bot]' })
      repositoryChangesOf(event)
      trunkOf(event)
    },
  },
  {
    name: 'comment',
    share: 3,
    run(chance) {
      const bytes = mutated(chance.of(CORPUS.comments).bytes, chance, bytesOf(CORPUS.comments))
      const text = bytes.toString('utf8').slice(0, LONGEST_COMMENT)
      for (const { words } of commandsIn(text, '/perf', 'perf-triage')) {
        commandOf(words[0])
        argumentsOf(words.slice(1), Date.UTC(2026, 10, 1))
      }
    },
  },
  {
    name: 'config',
    share: 1,
    run(chance) {
      parseRepositoryConfig(mutated(chance.of(CORPUS.configs).bytes, chance, bytesOf(CORPUS.configs)).toString('utf8'))
    },
  },
]

const ODD: readonly unknown[] = [null, true, -1, 0, 1e300, '', 'x'.repeat(10_000), [], {}, [[[]]], '\u0000', { id: {} }]

/** The value with something else in one place. */
function changed(value: unknown, chance: Chance): unknown {
  if (typeof value !== 'object' || value === null || chance.oneIn(6)) return chance.of(ODD)
  const keys = Object.keys(value)
  if (keys.length === 0) return chance.of(ODD)
  const key = chance.of(keys)
  const inside = changed((value as Record<string, unknown>)[key], chance)
  return Array.isArray(value) ? value.with(Number(key), inside) : { ...value, [key]: inside }
}

const WHEEL = TARGETS.flatMap((target) => Array.from({ length: target.share }, () => target))

/** The target and the numbers of a case, whatever ran before. */
export function caseOf(number: number): { readonly target: Target; readonly chance: Chance } {
  return { target: WHEEL[number % WHEEL.length]!, chance: new Chance(Math.imul(number + 1, 0x9e3779b1)) }
}

/** Runs a case. Throws what is a fault: everything but a line for a person. */
export async function runCase(number: number, folder: string): Promise<void> {
  const { target, chance } = caseOf(number)
  try {
    await target.run(chance, folder)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (/\n/.test(error.message)) throw new Error(`a message of several lines: ${error.message}`, { cause: error })
  }
}

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'perf-triage-fuzz-'))
}
