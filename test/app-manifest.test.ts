import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { SIGN_IN_CALLBACK_PATH } from '../src/report/urls.ts'

const text = readFileSync(new URL('../app.yml', import.meta.url), 'utf8')
const manifest = z
  .strictObject({
    name: z.string().max(34),
    description: z.string(),
    url: z.url(),
    callback_urls: z.array(z.url().endsWith(SIGN_IN_CALLBACK_PATH)).length(1),
    public: z.boolean(),
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  })
  .parse(parseDocument(text).toJS())

/** Which permission GitHub asks for before it sends an event. */
const PERMISSION_OF: Readonly<Record<string, string>> = {
  check_run: 'checks',
  check_suite: 'checks',
  workflow_run: 'actions',
  status: 'statuses',
  pull_request: 'pull_requests',
  issue_comment: 'issues',
  push: 'contents',
  repository: 'metadata',
}

test('every event that is asked for is allowed by a permission', () => {
  for (const event of manifest.default_events) {
    expect(Object.keys(manifest.default_permissions), event).toContain(PERMISSION_OF[event])
  }
})

test('nothing may be written but checks, pull requests and re-runs', () => {
  const written = Object.entries(manifest.default_permissions).filter(([, access]) => access === 'write')
  expect(written.map(([name]) => name).toSorted()).toEqual(['actions', 'checks', 'pull_requests'])
})

test('every permission and event has its reason beside it and its line in docs/configuration.md', () => {
  const docs = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
  const lines = text.split('\n')
  for (const name of [...Object.keys(manifest.default_permissions), ...manifest.default_events]) {
    const at = lines.findIndex((line) => line === `  - ${name}` || line.startsWith(`  ${name}: `))
    expect(lines[at - 1], name).toMatch(/^ {2}# /)
    expect(docs).toContain(`\`${name}\``)
  }
})
