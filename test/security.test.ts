import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test.each(['SECURITY.md', 'docs/security.md'])('%s names tests that are there', (page) => {
  const named = [...text(page).matchAll(/\*([^*|]+)\* \(`(test\/[\w./-]+)`\)/g)]
  expect(named.length).toBeGreaterThan(10)
  const missing = named.filter(([, name, file]) => !text(file!).includes(name!))
  expect(missing.map(([all]) => all)).toEqual([])
})

/** Licences that a package under Apache-2.0 may bring along. */
const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', '0BSD'])

test('what is installed with the package has a licence that goes with Apache-2.0', () => {
  const lock = z
    .object({
      packages: z.record(
        z.string(),
        z.object({ dev: z.boolean().optional(), license: z.string().optional(), link: z.boolean().optional() }),
      ),
    })
    .parse(JSON.parse(text('package-lock.json')))
  // a link stands for a folder of the checkout, which has an entry of its own
  const shipped = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path !== '' && dev !== true && link !== true,
  )
  expect(shipped.length).toBeGreaterThan(100)
  const others = shipped.filter(([, { license }]) => license === undefined || !ALLOWED.has(license))
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
})
