import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceItems } from '../../../src/intake/archive/source-items.ts'
import { Budget } from '../../../src/intake/measurement/budget.ts'
import { formatsNamed } from '../../../src/intake/measurement/formats/formats.ts'
import { Interest } from '../../../src/intake/measurement/interest.ts'
import type { SourceItem } from '../../../src/intake/measurement/source.ts'
import { makeTar } from './make-tar.ts'
import { makeZip } from './make-zip.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'source-items-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

/** How often this process has the file open. */
async function timesOpen(path: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd')
  const targets = await Promise.all(
    descriptors.map(async (name) => await readlink(`/proc/self/fd/${name}`).catch(() => '')),
  )
  return targets.filter((target) => target === path).length
}

interface Deep {
  readonly name: string
  readonly contents: Uint8Array
  readonly items: readonly object[]
}

const NOISE = randomBytes(3_000_000)

/** Too large to be read in one piece, and of a kind that no compression makes small. */
function deep(): Uint8Array {
  let contents: Uint8Array = NOISE
  for (let depth = 0; depth < 5; depth += 1) contents = gzipSync(contents, { level: 1 })
  return contents
}

const CASES: readonly Deep[] = [
  { name: 'deep.gz', contents: deep(), items: [{ failed: 'limit-reached' }] },
  {
    name: 'deep.tar',
    contents: makeTar([
      { name: 'a.gz', data: Buffer.from(deep()) },
      { name: 'b', data: Buffer.from(NOISE) },
    ]),
    items: [{ name: 'a.gz', failed: 'limit-reached' }, { name: 'b' }],
  },
  { name: 'run.zip', contents: makeZip([{ name: 'a', data: NOISE }]), items: [{ name: 'a' }] },
  { name: 'plain', contents: NOISE, items: [{ name: 'plain' }] },
]

describe.skipIf(process.platform !== 'linux')('nobody reads what there is', () => {
  test.each(CASES)('$name: the file is let go of', async ({ name, contents, items }) => {
    const path = join(folder, name)
    await writeFile(path, contents)
    const budget = new Budget({ limits: { depth: 3 } })
    const interest = new Interest(formatsNamed('auto'), '*')
    const found: SourceItem[] = []
    for await (const item of sourceItems({ path, side: null, label: '' }, interest, budget)) found.push(item)
    expect(found).toMatchObject(items)
    await expect.poll(async () => await timesOpen(path)).toBe(0)
  })
})
