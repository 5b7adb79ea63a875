import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FORMAT_NAMES } from '../../../src/intake/measurement/formats/format-names.ts'
import { installedPage } from '../../../src/web/pages/installed.ts'

test('has steps of a workflow for each tool whose steps the docs have, with the base where they measure it', async () => {
  const page = String(await installedPage('1.2.3'))
  const found = [...page.matchAll(/<summary>(.*?)<\/summary>.*?<pre tabindex="0"><code>(.*?)<\/code>/gs)]
  const steps = new Map(found.map(([, tool = '', yaml = '']) => [tool.replaceAll(/<\/?code>/g, ''), yaml]))
  const [other, ...tools] = [...steps.keys()].toReversed()
  expect(other).toBe('another tool, or ClickHouse')
  expect(tools.length).toBeGreaterThan(10)
  expect(tools.filter((name) => !FORMAT_NAMES.includes(name))).toEqual([])
  for (const [tool, yaml] of steps) {
    const uses = { uses: 'actions/upload-artifact@v4', with: { name: expect.stringMatching(/^performance-/) } }
    expect(parse(yaml.replaceAll('&quot;', '"').replaceAll('&#39;', "'")), tool).toContainEqual(
      expect.objectContaining({ ...uses, with: expect.objectContaining(uses.with) }),
    )
  }
  expect(steps.get('go')).toContain('git worktree add ../base')
  expect(steps.get('go')).toContain(
    "turn() { go test -run '^$' -bench . ./... &gt; $out.txt; }".replaceAll("'", '&#39;'),
  )
  expect(steps.get('hyperfine')).not.toContain('git worktree')
})

test('each format has a row in the docs, in the order of names', () => {
  const page = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8')
  const [, table = ''] = /^\| `--format` \|.*?\n(.*?)\n\n/ms.exec(page) ?? []
  const rows = [...table.matchAll(/^\| (?:<a .*?><\/a>)?`([\w-]+)`/gm)].map(([, name]) => name)
  expect(rows).toEqual(FORMAT_NAMES.filter((name) => name !== 'auto').toSorted())
})
