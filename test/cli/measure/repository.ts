import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MeasureFile, measureFile } from '../../../src/intake/measurement/formats/measure-file.ts'

/** A repository with a benchmark, and the command line as a process of its own: it is called in that folder, and gets signals. */

const LAUNCHER = fileURLToPath(new URL('../../../bin/perf-triage.js', import.meta.url))

/**
 * Counts the comparisons of an insertion sort on random numbers, which vary as measurements do, whatever else the machine does. The numbers
 * follow from the turn and the build, so that a test always sees the same. `PLANTED` sorts are made of each hundred.
 */
export const SORT_BENCHMARK = `
const { sorts } = require('./program.js')
const out = process.argv[2]
let state = [...out.split('/').slice(-2).join('/')].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, 7)
const random = () => { state = (Math.imul(state, 1664525) + 1013904223) | 0; return (state >>> 8) / 2 ** 24 }
const only = process.argv[3] ? process.argv[3].split(',') : ['small', 'large']
const lines = only.map((name) => {
  let comparisons = 0
  for (let sort = 0; sort < sorts; sort += 1) {
    const list = Array.from({ length: name === 'small' ? 30 : 60 }, random)
    for (let i = 1; i < list.length; i += 1)
      for (let j = i; j > 0; j -= 1) {
        comparisons += 1
        if (list[j] >= list[j - 1]) break
        ;[list[j], list[j - 1]] = [list[j - 1], list[j]]
      }
  }
  return JSON.stringify({ test: 'sort', queryName: name, value: comparisons / 1e6 })
})
require('node:fs').writeFileSync(out, lines.join('\\n') + '\\n')
`

export interface Repository {
  readonly folder: string
  /** A folder that is not there yet. */
  readonly results: string
  readonly git: (...args: readonly string[]) => string
  /** Writes the files and commits them; gives the id. */
  readonly commit: (files: Readonly<Record<string, string>>, message?: string) => string
}

/** An empty repository with the branch `main`. */
export function repository(): Repository {
  const root = mkdtempSync(join(tmpdir(), 'perf-triage-measure-'))
  const folder = join(root, 'repository')
  mkdirSync(folder)
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, ...who, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  git('init', '--quiet', '--initial-branch', 'main')
  const commit: Repository['commit'] = (files, message = 'a change') => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  return { folder, results: join(root, 'results'), git, commit }
}

/** The sorting benchmark on `main`, and a branch `change` whose program is this one. */
export function sorting(changed: string, base = 'exports.sorts = 100\n'): Repository & { readonly base: string } {
  const made = repository()
  const commit = made.commit({ 'bench.js': SORT_BENCHMARK, 'program.js': base })
  made.git('checkout', '--quiet', '-b', 'change')
  made.commit({ 'program.js': changed })
  return { ...made, base: commit }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** Starts `perf-triage measure` in the folder. */
export function startMeasure(
  { folder, results }: Pick<Repository, 'folder' | 'results'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Started {
  const { GITHUB_REF: _, GITHUB_BASE_REF: __, ...own } = process.env
  const child = spawn(process.execPath, [LAUNCHER, 'measure', '-o', relative(folder, results) || '.', ...args], {
    cwd: folder,
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, ...written }))) }
}

export async function measured(...args: Parameters<typeof startMeasure>): Promise<Ended> {
  return await startMeasure(...args).ended
}

/** What stands in the results. */
export function fileIn(results: string): MeasureFile {
  return measureFile.parse(JSON.parse(readFileSync(join(results, 'measure.json'), 'utf8')))
}
