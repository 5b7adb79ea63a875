import { readFileSync } from 'node:fs'
import { html } from 'hono/html'
import { WORDS_PATH } from '../../report/urls.ts'
import { type Html, layout } from '../kit/layout.ts'

/** The steps of a workflow that measure with a tool and upload what it says. */
interface Steps {
  /** A name of `--format`. */
  readonly tool: string
  readonly yaml: string
}

const UPLOAD = `- uses: actions/upload-artifact@v4
  if: always()
  with:
    name: performance-results
    path: results/`

/**
 * The steps of the workflow in docs/formats.md with the command of each row of its table of tools. A command without `$out` measures both builds:
 * it needs no turns.
 */
function stepsOfTools(markdown: string): Steps[] {
  const [, turns = ''] = /^```yaml\n(.*?)\n```$/ms.exec(markdown) ?? []
  const [table = ''] = /^\| `--format` \|(?:.*\|\n)*/m.exec(markdown) ?? []
  const rows = table.matchAll(/^\| (?:<a id="[\w-]+"><\/a>)?`(?<tool>[\w-]+)` \| `(?<command>[^`]+)` \|/gm)
  return [...rows].map(({ groups }) => {
    const { tool, command } = groups as { tool: string; command: string }
    const takesTurns = command.includes('$out')
    return { tool, yaml: takesTurns ? turns.replace('COMMAND', () => command) : `- run: ${command}\n${UPLOAD}` }
  })
}

let steps: readonly Steps[] | undefined

/** Where GitHub leads who has installed the App. */
export function installedPage(version: string): Html {
  steps ??= stepsOfTools(readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8'))
  return layout({
    title: 'Installed · perf-triage',
    version,
    content: html`<h1>perf-triage is installed</h1>
<p>It stays silent until a workflow uploads measurements as an artifact named <code>performance</code> or <code>performance-…</code>. The steps of a job that
runs <code>on: pull_request</code>, by the tool that measures:</p>
${steps.map(({ tool, yaml }) => snippet(html`<code>${tool}</code>`, yaml))}
${snippet(
  'another tool, or ClickHouse',
  UPLOAD,
  html`<p><code>results/</code> contains ClickHouse’s <code>*-raw.tsv</code>, or JSON lines with <code>test</code>, <code>side</code> (<code>old</code> or <code>new</code>) and <code>value</code>
in a file <code>measurements.jsonl</code>.</p>`,
)}
<p>To try a file on your own machine first, without GitHub: <code>npx perf-triage classify results/</code>.</p>
<p>Then open a pull request. When the job has finished, there is a check <code>perf-triage</code>, and a comment if there is something to say. If your
names differ, or the bot should stay silent at first (<code>mode: shadow</code>), say so in <code>.github/perf-triage.yml</code> on the default branch;
<code>npx perf-triage config check</code> checks it.</p>
<p><a href="${WORDS_PATH}">Glossary</a></p>`,
  })
}

/** One is open at a time: all are of one name. */
function snippet(tool: Html | string, yaml: string, words: Html | string = ''): Html {
  return html`<details class="snippet" name="tool"><summary>${tool}</summary><div>${words}<pre tabindex="0"><code>${yaml}</code></pre></div></details>
`
}
