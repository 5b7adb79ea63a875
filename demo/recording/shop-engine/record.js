// Measures two versions of the engine side by side, in the format of ClickHouse's performance CI:
//   node record.js OLD NEW RUNS FOLDER [--profile]       FOLDER/<test>-raw.tsv, and with --profile FOLDER/report/stacks.{left,right}.tsv
// OLD and NEW are base, step, pull, or several joined by a plus (step+pull): the files of base with theirs over them.
import { fork } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
if (process.send === undefined) await measure(process.argv.slice(2))
else await answer(process.argv[2])

async function measure([old, fresh, runs, folder, ...more]) {
  const sides = [start(old), start(fresh)]
  const tests = await sides[0].ask({ list: true })
  await sides[1].ask({ list: true })
  mkdirSync(folder, { recursive: true })
  const stacks = [[], []]
  for (const [test, texts] of tests) {
    const lines = texts.map((text, query) => `display-name\t${query}\t${text}`)
    for (const query of texts.keys()) {
      for (let warm = 0; warm < 8; warm += 1) for (const side of sides) await side.ask({ test, query })
      for (let run = 0; run < Number(runs); run += 1) {
        for (const [number, side] of sides.entries()) {
          const seconds = await side.ask({ test, query })
          lines.push(`query\t${query}\t${test}.query${query}.run${run}\t${number}\t${seconds.toFixed(9)}`)
        }
      }
      if (!more.includes('--profile')) continue
      for (const [number, side] of sides.entries()) {
        const counts = await side.ask({ test, query, profile: true })
        for (const [stack, count] of counts) {
          stacks[number].push([test, query, 'CPU', texts[query], stack, count].join('\t'))
        }
      }
    }
    writeFileSync(join(folder, `${test}-raw.tsv`), `${lines.join('\n')}\n`)
  }
  if (more.includes('--profile')) {
    mkdirSync(join(folder, 'report'), { recursive: true })
    for (const [number, name] of ['left', 'right'].entries()) {
      writeFileSync(join(folder, 'report', `stacks.${name}.tsv`), `${stacks[number].join('\n')}\n`)
    }
  }
  for (const side of sides) side.end()
}

function start(version) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-engine-'))
  for (const layer of ['base', ...version.split('+')]) cpSync(join(here, layer), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const child = fork(fileURLToPath(import.meta.url), [folder])
  return {
    ask: (what) =>
      new Promise((resolve) => {
        child.once('message', resolve)
        child.send(what)
      }),
    end: () => child.disconnect(),
  }
}

async function answer(folder) {
  const load = (name) => import(pathToFileURL(join(folder, 'src', name)).href)
  const { tests } = await load('queries.js')
  const { ordersTable } = await load('table.js')
  const table = ordersTable()
  process.on('message', async ({ list, test, query, profile }) => {
    if (list) return process.send(Object.entries(tests).map(([name, queries]) => [name, queries.map(([text]) => text)]))
    const run = tests[test][query][1]
    if (profile) return process.send(await profiled(folder, () => run(table)))
    globalThis.gc?.()
    const begin = process.hrtime.bigint()
    run(table)
    process.send(Number(process.hrtime.bigint() - begin) / 1e9)
  })
}

// Folded stacks of a second of the query, as [stack, samples].
async function profiled(folder, run) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 1000 })
  await session.post('Profiler.start')
  for (const end = Date.now() + 1000; Date.now() < end; ) run()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const counts = new Map()
  for (const sample of profile.samples) {
    const frames = []
    for (let id = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = nodes.get(id).callFrame
      if (functionName === '(garbage collector)') frames.unshift(functionName)
      if (!url.includes('/src/')) continue
      frames.unshift(`${functionName || 'anonymous'} (${url.slice(url.indexOf('src/'))}:${lineNumber + 1})`)
    }
    if (frames.length > 0) counts.set(frames.join(';'), (counts.get(frames.join(';')) ?? 0) + 1)
  }
  return [...counts]
}
