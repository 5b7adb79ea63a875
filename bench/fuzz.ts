import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { computed } from '../test/computing-time.ts'
import { caseOf, runCase, scratchFolder, TARGETS } from './fuzz/targets.ts'

/** A case that computes longer is a fault. Milliseconds of its thread, whatever else the machine does. */
const LONGEST = 3_000
/** One that computes this long is ended with its thread. */
const HUNG = 15_000
/** One that has not ended after this long waits for something that does not come. Milliseconds of the clock. */
const STALLED = 300_000
/** What the readers may hold: a thread that needs more ends, which is a fault of its case. */
const HEAP_MB = 384

/** Milliseconds that the slowest case of a target computed. */
type Slowest = Record<string, { milliseconds: number; number: number }>

interface Fault {
  readonly number: number
  readonly message: string
}

type Message = { readonly slowest: Slowest } | { readonly fault: Fault }

if (isMainThread) await main()
else await work()

/**
 * `node bench/fuzz.ts [--cases 1000000] [--from 0]`: files, archives, tables, webhooks, comments and settings with faults in them, each
 * case known by its number: `--from N --cases 1` is that one alone.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { cases: { type: 'string' }, from: { type: 'string' } } })
  let from = Number(values.from ?? 0)
  const end = from + Number(values.cases ?? 1_000_000)
  const first = from
  const started = performance.now()
  const faults: Fault[] = []
  const slowest: Slowest = {}
  let peak = 0
  const memory = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 100)
  while (from < end && faults.length < 50) from = await thread(from, end, faults, slowest)
  clearInterval(memory)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage()
  const kinds = Map.groupBy(faults, ({ message }) => message.replaceAll(/\d+ ms/g, 'ms'))
  for (const [message, same] of kinds) {
    const { number } = same[0]!
    console.log(`${same.length} faults, the first is case ${number} (${caseOf(number).target.name}): ${message}`)
  }
  console.log(
    `${from - first} cases in ${seconds.toFixed(0)} s (${((user + system) / 1e6).toFixed(0)} s of computing), ${faults.length} faults, ${Math.round(peak / 1e6)} MB at the most`,
  )
  for (const { name } of TARGETS) {
    const found = slowest[name]
    if (found !== undefined)
      console.log(`${name}: the slowest computed for ${Math.round(found.milliseconds)} ms, case ${found.number}`)
  }
  process.exitCode = faults.length === 0 ? 0 : 1
}

/** Runs cases in a thread of their own until they are done, or one hangs or needs too much. Returns the first that is left. */
async function thread(from: number, end: number, faults: Fault[], slowest: Slowest): Promise<number> {
  const now = new Int32Array(new SharedArrayBuffer(8))
  now[0] = from
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { from, end, now },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  let seen = from
  let since = performance.now()
  let computedBefore = process.cpuUsage()
  return await new Promise((resolve) => {
    const fail = (message: string) => {
      clearInterval(watch)
      const number = Atomics.load(now, 0)
      faults.push({ number, message })
      void worker.terminate().then(() => resolve(number + 1))
    }
    const watch = setInterval(() => {
      const number = Atomics.load(now, 0)
      if (number !== seen) {
        since = performance.now()
        computedBefore = process.cpuUsage()
      }
      seen = number
      // This thread does next to nothing: what the process computes is the case.
      const { user, system } = process.cpuUsage(computedBefore)
      if ((user + system) / 1000 > HUNG) fail(`no end within ${HUNG / 1000} s of computing`)
      else if (performance.now() - since > STALLED) fail(`no end within ${STALLED / 1000} s`)
    }, 250)
    worker.on('error', (error) => fail(String(error)))
    worker.on('message', (message: Message) => {
      if ('fault' in message) {
        faults.push(message.fault)
        return
      }
      clearInterval(watch)
      for (const [name, found] of Object.entries(message.slowest)) {
        if ((slowest[name]?.milliseconds ?? 0) < found.milliseconds) slowest[name] = found
      }
      resolve(end)
    })
  })
}

async function work(): Promise<void> {
  const { from, end, now } = workerData as { from: number; end: number; now: Int32Array }
  const folder = scratchFolder()
  const slowest: Slowest = {}
  for (let number = from; number < end; number += 1) {
    Atomics.store(now, 0, number)
    const started = computed()
    try {
      await runCase(number, folder)
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
      parentPort!.postMessage({ fault: { number, message } } satisfies Message)
    }
    const milliseconds = computed() - started
    const { name } = caseOf(number).target
    if ((slowest[name]?.milliseconds ?? 0) < milliseconds) slowest[name] = { milliseconds, number }
    if (milliseconds > LONGEST) {
      const message = `it computed for ${Math.round(milliseconds)} ms`
      parentPort!.postMessage({ fault: { number, message } } satisfies Message)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  parentPort!.postMessage({ slowest } satisfies Message)
}
