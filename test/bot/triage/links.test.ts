import { expect, test } from 'vitest'
import { linksOf } from '../../../src/bot/triage/links.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'

const HEAD = 'a'.repeat(40)

function pictureUrl(pictures: boolean, publicUrl: string | null, isPrivate = false): string | null {
  const pullRequest = { number: 7, head: HEAD, repository: { id: 1, owner: 'acme', name: 'fast.db', isPrivate } }
  const context = { publicUrl, hasSignIn: true }
  const links = linksOf(context, pullRequest as PullRequest, { ...DEFAULT_CONFIG, pictures })
  return links.pictures?.changesUrl('0123456789abcdef', 'dark') ?? null
}

test('pictures only where they are asked for, of public repositories, and where GitHub can fetch them', () => {
  expect(pictureUrl(true, 'https://perf.example.org')).toBe(
    `https://perf.example.org/r/acme/fast.db/pull/7/${HEAD}/changes/0123456789abcdef/dark.svg`,
  )
  expect(DEFAULT_CONFIG.pictures).toBe(false)
  expect(pictureUrl(false, 'https://perf.example.org')).toBeNull()
  expect(pictureUrl(true, 'https://perf.example.org', true)).toBeNull()
  for (const url of [null, 'http://perf.example.org', 'https://localhost', 'https://127.0.0.1:3000', 'https://[::1]']) {
    expect(pictureUrl(true, url)).toBeNull()
  }
})
