import { expect, test } from 'vitest'
import { pullRequestWindow } from '../../../../src/judge/bisect/bisect-window.ts'
import { reportPage } from '../../../../src/web/pages/report/report.ts'
import { DEFAULT_VIEW } from '../../../../src/web/pages/report/report-view.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'
import { changed, report, row } from '../../../report/render/report-builder.ts'
import { windowCommit } from '../../../report/render/window-states.ts'

/** The commits of the pull request itself, on the page of its report. */

const commits = [
  windowCommit(1, { title: 'Words', files: ['docs/a.md'] }),
  windowCommit(2, { title: 'Faster', files: ['src/A.cpp'] }),
  windowCommit(3, { title: 'Slower', files: ['src/B.cpp'] }),
  windowCommit(4, { title: 'Large', files: null }),
]

async function pageOf(more: Parameters<typeof report>[1]): Promise<string> {
  return String(
    await reportPage(report([row('a', 0, [changed(1, 2)])], more), DEFAULT_VIEW, '/r/acme/database/pull/108', {
      publicUrl: 'https://p.example',
      version: '1',
    }),
  )
}

test('those that can change the binary, which to build first and which are on the path', async () => {
  const page = await pageOf({ pullRequestWindow: pullRequestWindow(commits, ['src/B.cpp']) })
  const [first, path] = commits.slice(1, 3).map(({ sha }) => sha.slice(0, 7))
  expect(page).toContain('<summary>Inside this pull request</summary>')
  expect(page.replace(/<[^>]+>/g, '')).toContain(
    `4 commits; 3 can change the binary; 2 builds would find the cause, starting with ${first}; ${path} touches the query’s path (the files of 1 commit are not known).`,
  )
  const rows = [
    ...page.matchAll(/<td[^>]*><bdi>(\w+)<\/bdi><\/td><td[^>]*>(first|–)<\/td><td[^>]*>(yes|no|not known)<\/td>/g),
  ]
  expect(rows.map((found) => found.slice(1))).toEqual([
    ['Faster', 'first', 'no'],
    ['Slower', '–', 'yes'],
    ['Large', '–', 'not known'],
  ])
})

test('without a profile nothing is said of the path', async () => {
  const page = await pageOf({ pullRequestWindow: pullRequestWindow(commits, null) })
  expect(page.match(/<td[^>]*>not known<\/td>/g)).toHaveLength(3)
})

test.each([
  ['none is on the path', ['src/Other.cpp']],
  ['there is no profile', null],
])('where %s, those whose files are not known are still counted', async (_, paths) => {
  const page = await pageOf({ pullRequestWindow: pullRequestWindow(commits, paths) })
  expect(page.replace(/<[^>]+>/g, '')).toMatch(/with [0-9a-f]{7}; the files of 1 commit are not known\./)
})

test('titles are text, whatever they are', async () => {
  const hostile = HOSTILE.map((title, index) => windowCommit(index, { title, sha: title, files: null }))
  const page = await pageOf({ pullRequestWindow: pullRequestWindow(hostile, []) })
  expect(page).not.toMatch(/<img|<\/details><details open/)
  expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
})

test('no window, no part for it', async () => {
  for (const none of [{}, { pullRequestWindow: null }])
    expect(await pageOf(none)).not.toContain('Inside this pull request')
})
