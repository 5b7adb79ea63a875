import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Commit } from './commit-graph.ts'
import { type MarkdownContext, renderMarkdown } from './markdown.ts'
import { pullPage } from './resources/pull-request.ts'
import {
  type Account,
  type CheckRun,
  type Comment,
  fullName,
  type Manifest,
  type PullRequest,
  type Repository,
  reaches,
  type State,
  type WorkflowRun,
} from './state.ts'

export interface Page {
  readonly status: number
  readonly type: string
  readonly content: string | Buffer
}

const markdownStyle = readFileSync(fileURLToPath(import.meta.resolve('github-markdown-css')), 'utf8')
const pageStyle = readFileSync(new URL('page.css', import.meta.url), 'utf8')

/** The pages that a person opens: pull requests with their comments and checks, a check run, a list of both. */
export class Pages {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  /**
   * null: not a page, the API answers.
   * @param browses whether a browser asks, which wants a page in any case
   */
  answer(path: string, browses: boolean): Page | null {
    return this.#page(path) ?? (browses || path === '/favicon.ico' ? missing() : null)
  }

  #page(path: string): Page | null {
    if (path === '/') return html('Pull requests', this.#index())
    if (path === installationPath(this.#state)) return this.#installation()
    const avatar = /^\/avatars\/(\d+)$/.exec(path)
    if (avatar !== null) return this.#avatar(Number(avatar[1]))
    const [, owner, name, kind, number] =
      /^\/([^/]+)\/([^/]+)\/(?:(pull|(?:actions\/)?runs|commit)\/([0-9a-f]+)|issues\/new)$/.exec(path) ?? []
    if (owner === undefined || name === undefined) return null
    const repo = this.#state.repository(decodeURIComponent(owner), decodeURIComponent(name))
    if (kind === undefined) return repo === undefined ? missing() : html('New issue', newIssue(repo))
    if (kind === 'commit') {
      const commit = repo?.graph.get(number!)
      return repo === undefined || commit === undefined
        ? missing()
        : html(commit.message.split('\n')[0]!, this.#commit(repo, commit))
    }
    if (kind === 'pull') {
      const pull = repo?.pulls.get(Number(number))
      return pull === undefined ? missing() : html(`${pull.title} #${pull.number}`, this.#pull(pull))
    }
    if (kind === 'actions/runs') {
      const run = repo?.workflowRuns.find((known) => known.id === Number(number))
      return run === undefined ? missing() : html(run.name, this.#workflowRun(run))
    }
    const run = repo?.checkRuns.find((known) => known.id === Number(number))
    return run === undefined ? missing() : html(run.name, this.#checkRun(run))
  }

  #index(): string {
    const state = this.#state
    const pulls = state.repositories.flatMap((repo) => [...repo.pulls.values()])
    const items = pulls.map(
      (pull) =>
        `<li>${badge(pull)} <a href="${text(pullPage(state, pull))}">${text(fullName(pull.repo))}#${pull.number} ${text(pull.title)}</a></li>`,
    )
    return `<h1>Pull requests</h1><ul class="plain">${items.join('') || '<li>None yet.</li>'}</ul>`
  }

  /** A button for each owner of repositories that has not installed the App. */
  #installation(): Page {
    const { app, repositories, installations } = this.#state
    const installed = new Set(installations.map(({ account }) => account.login))
    const owners = [...new Set(repositories.map(({ owner }) => owner.login))]
    const items = owners.map((owner) =>
      installed.has(owner)
        ? `<li>${text(owner)} has installed it.</li>`
        : `<li><button name="account" value="${text(owner)}">Install for ${text(owner)}</button></li>`,
    )
    return html(
      `Install ${app.name}`,
      [
        `<h1>Install ${text(app.name)}</h1>`,
        `<form method="post" class="box"><p>On all repositories of an account:</p>`,
        `<ul class="plain">${items.join('') || '<li>No account has a repository yet.</li>'}</ul></form>`,
      ].join('\n'),
      '*',
    )
  }

  #pull(pull: PullRequest): string {
    const { repo } = pull
    const context = this.#context(repo)
    const from = `${pull.head.repo.owner.login}:${pull.head.ref}`
    const labels = pull.labels.map((label) => `<span class="label">${text(label.name)}</span>`)
    const checks = newest(repo.checkRuns.filter((run) => run.suite.headSha === pull.head.sha))
    const statuses = new Map(
      repo.statuses.filter((status) => status.sha === pull.head.sha).map((status) => [status.context, status]),
    )
    const comments = pull.comments.map((comment) =>
      this.#box(
        comment.author,
        comment.createdAt,
        comment.body,
        context,
        `issuecomment-${comment.id}`,
        comment.reactions,
      ),
    )
    const statusItems = [...statuses.values()].map(
      (status) =>
        `<li>${mark(status.state)} <strong>${text(status.context)}</strong> ${text(status.description ?? '')}</li>`,
    )
    return [
      crumb(repo),
      `<h1>${text(pull.title)} <span class="number">#${pull.number}</span></h1>`,
      `<p>${badge(pull)} <strong>${text(pull.author.login)}</strong> wants to merge into `,
      `<code>${text(pull.base.ref)}</code> from <code>${text(from)}</code> at <code>${pull.head.sha.slice(0, 7)}</code></p>`,
      `<p class="tabs"><b>Conversation <i>${pull.comments.length}</i></b> <span>Checks <i>${checks.length}</i></span></p>`,
      labels.length === 0 ? '' : `<p>${labels.join(' ')}</p>`,
      this.#box(pull.author, pull.createdAt, pull.body ?? '*No description provided.*', context, 'description'),
      ...comments,
      checks.length + statusItems.length === 0 ? '<h2>Checks</h2><p>None.</p>' : `<h2>${checksWords(checks)}</h2>`,
      `<ul class="plain">${statusItems.join('')}</ul>`,
      `<p class="number">${conclusionsWords(checks)}</p>`,
      ...checks.map((run) => this.#check(run, context)),
      this.#form(pull, checks),
    ].join('\n')
  }

  /** One form: who acts is chosen once, and its buttons say what is done. */
  #form(pull: PullRequest, checks: readonly CheckRun[]): string {
    const { people } = this.#state
    if (people.length === 0) return ''
    const who = people.map((person, index) => {
      const isMaintainer = reaches(this.#state.roleOf(pull.repo, person), 'write')
      const what = person === pull.author ? 'author' : isMaintainer ? 'maintainer' : 'stranger'
      const radio = `<input type="radio" name="as" value="${text(person.login)}"${index === 0 ? ' checked' : ''}>`
      return `<label>${radio} ${text(person.login)} <span class="number">${what}</span></label>`
    })
    const button = (value: string, words: string) => `<button name="do" value="${text(value)}">${text(words)}</button>`
    const ofChecks = checks.flatMap((run) =>
      run.actions.map(({ identifier, label }) => button(`button ${run.id} ${identifier}`, `${label} (${run.name})`)),
    )
    const names = [...pull.repo.labels.values()].map(({ name }) => `<option value="${text(name)}"></option>`)
    return [
      `<form class="box say" id="say" method="post">`,
      `<p>You are ${who.join(' ')}</p>`,
      `<textarea name="body" rows="3" aria-label="Comment" placeholder="/perf help"></textarea>`,
      `<p>${button('comment', 'Comment')}</p>`,
      `<p><input name="label" list="labels" aria-label="Label" placeholder="perf: accepted">`,
      `<datalist id="labels">${names.join('')}</datalist> ${button('label', 'Set or remove the label')}</p>`,
      `<p>${[...ofChecks, button('push', 'Push a commit'), button('merge', 'Merge')].join(' ')}</p>`,
      `</form>`,
    ].join('\n')
  }

  #box(
    author: Account,
    at: Date,
    body: string,
    context: MarkdownContext,
    id: string,
    reactions: Comment['reactions'] = [],
  ): string {
    const avatar = `<img class="avatar" src="/avatars/${author.id}" alt="" width="24" height="24">`
    const bot = author.type === 'Bot' ? ' <span class="label">bot</span>' : ''
    const when = at.toISOString().slice(0, 16).replace('T', ' ')
    return [
      `<article class="box" id="${id}">`,
      `<header>${avatar} <strong>${text(author.login.replace('[bot]', ''))}</strong>${bot} <time>${when}</time></header>`,
      `<div class="markdown-body">${renderMarkdown(body, context).html}</div>`,
      reactions.length === 0
        ? ''
        : `<p class="reactions">${reactions.map(({ content }) => faces[content] ?? text(content)).join(' ')}</p>`,
      `</article>`,
    ].join('')
  }

  #check(run: CheckRun, context: MarkdownContext): string {
    const { title, summary } = run.output
    const head = `${mark(run.conclusion ?? run.status)} <strong>${text(run.name)}</strong> ${text(title ?? '')}`
    const page = `/${fullName(run.suite.repo)}/runs/${run.id}`
    const link = `<a href="${text(page)}">details</a> <span class="number">${text(run.suite.app.name)}</span>`
    const body = summary === null ? '' : `<div class="markdown-body">${renderMarkdown(summary, context).html}</div>`
    return `<details class="box check"><summary>${head}</summary><p>${link}</p>${body}</details>`
  }

  #workflowRun(run: WorkflowRun): string {
    const context = this.#context(run.repo)
    const jobs = run.repo.checkRuns.filter(({ suite }) => suite === run.suite)
    return [
      crumb(run.repo),
      `<h1>${mark(run.conclusion ?? run.status)} ${text(run.name)}</h1>`,
      `<p>Attempt ${run.attempt} on <code>${run.headSha.slice(0, 7)}</code></p>`,
      ...jobs.map((job) => this.#check(job, context) + this.#job(job, context)),
    ].join('\n')
  }

  /** The summary and the log of a job that ran here. */
  #job({ job }: CheckRun, context: MarkdownContext): string {
    if (job === null) return ''
    const summary =
      job.summary === '' ? '' : `<div class="box markdown-body">${renderMarkdown(job.summary, context).html}</div>`
    return `${summary}<details class="box check"><summary>Log</summary><pre>${text(job.log)}</pre></details>`
  }

  #checkRun(run: CheckRun): string {
    const { repo } = run.suite
    const context = this.#context(repo)
    const rendered = (markdown: string | null) =>
      markdown === null ? '' : `<div class="box markdown-body">${renderMarkdown(markdown, context).html}</div>`
    const annotations = run.annotations.map((item) => {
      const where = `${item.path}:${item.start_line}${item.end_line === item.start_line ? '' : `-${item.end_line}`}`
      const words = `<strong>${text(item.title ?? item.annotation_level)}</strong> <code>${text(where)}</code>`
      return `<li class="box">${words}<pre>${text(item.message)}</pre></li>`
    })
    const pulls = [...repo.pulls.values()].filter((pull) => pull.head.sha === run.suite.headSha)
    const back = pulls.map(
      (pull) => `<a href="${text(pullPage(this.#state, pull))}">#${pull.number} ${text(pull.title)}</a>`,
    )
    return [
      crumb(repo),
      back.length === 0 ? '' : `<p>${back.join(' ')}</p>`,
      `<h1>${mark(run.conclusion ?? run.status)} ${text(run.name)}</h1>`,
      `<p>${text(run.suite.app.name)} on <code>${run.suite.headSha.slice(0, 7)}</code>: ${text(run.conclusion ?? run.status)}`,
      `</p>`,
      run.output.title === null ? '' : `<h2>${text(run.output.title)}</h2>`,
      rendered(run.output.summary),
      rendered(run.output.text),
      annotations.length === 0 ? '' : `<h2>Annotations</h2><ul class="plain">${annotations.join('')}</ul>`,
    ].join('\n')
  }

  #commit(repo: Repository, commit: Commit): string {
    const [title = '', ...more] = commit.message.split('\n')
    const before = repo.graph.get(commit.parents[0] ?? '')?.files
    const paths = new Set([...commit.files.keys(), ...(before?.keys() ?? [])])
    const changed = [...paths].filter((path) => commit.files.get(path)?.sha !== before?.get(path)?.sha)
    const files = changed.slice(0, MOST_FILES).map((path) => {
      const what = !commit.files.has(path) ? 'removed' : before?.has(path) ? 'modified' : 'added'
      return `<li><span class="number">${what}</span> <code>${text(path)}</code></li>`
    })
    const pulls = [...repo.pulls.values()].filter((pull) => pull.head.sha === commit.sha)
    const at = pulls.map((pull) => `<a href="${text(pullPage(this.#state, pull))}">#${pull.number}</a>`)
    const when = commit.date.toISOString().slice(0, 16).replace('T', ' ')
    return [
      crumb(repo),
      `<h1>${text(title)}</h1>`,
      `<p><strong>${text(commit.author.login ?? commit.author.name)}</strong> committed <time>${when}</time> <code>${commit.sha.slice(0, 7)}</code> ${at.join(' ')}</p>`,
      more.join('').trim() === '' ? '' : `<pre>${text(more.join('\n').trim())}</pre>`,
      `<h2>${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}</h2>`,
      `<ul class="plain">${files.join('')}</ul>`,
    ].join('\n')
  }

  #context(repo: Repository): MarkdownContext {
    const state = this.#state
    return {
      userUrl: (login) => `${state.origin}/${encodeURIComponent(login)}`,
      issueUrl: (number) => {
        const pull = repo.pulls.get(number)
        return pull === undefined ? null : pullPage(state, pull)
      },
    }
  }

  #avatar(id: number): Page {
    const account = [...this.#state.accounts.values()].find((known) => known.id === id)
    if (account === undefined) return missing()
    const letter = text(account.login.slice(0, 1).toUpperCase())
    const hue = (id * 67) % 360
    const shape = account.type === 'User' ? '<circle cx="12" cy="12" r="12"' : '<rect width="24" height="24" rx="5"'
    const content = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${shape} fill="hsl(${hue} 45% 40%)"/><text x="12" y="17" text-anchor="middle" font-family="sans-serif" font-size="13" fill="#fff">${letter}</text></svg>`
    return { status: 200, type: 'image/svg+xml', content }
  }
}

/** The page of the App on which a person installs it. */
export function installationPath({ app }: State): string {
  return `/apps/${app.slug}/installations/new`
}

/** Where a person agrees to register an App. Its form goes on to the address that the manifest names. */
export function registrationPage(manifest: Manifest, manifestText: string, state: string): string {
  const page = html(
    'Create GitHub App',
    [
      `<h1>Create GitHub App</h1>`,
      `<form method="post" action="/settings/apps" class="box">`,
      `<input type="hidden" name="manifest" value="${text(manifestText)}">`,
      `<input type="hidden" name="state" value="${text(state)}">`,
      `<p><label>Name <input name="name" value="${text(manifest.name)}"></label></p>`,
      `<p><button>Create GitHub App</button></p>`,
      `</form>`,
    ].join('\n'),
    '*',
  )
  return String(page.content)
}

function html(title: string, body: string, formAction = "'self'"): Page {
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; form-action ${formAction}">
<title>${text(title)}</title>
<style>${markdownStyle}</style>
<style>${pageStyle}</style>
</head>
<body>
<nav><a href="/"><b>GitHub</b> on this machine</a></nav>
<main>
${body}
</main>
</body>
</html>
`
  return { status: 200, type: 'text/html; charset=utf-8', content }
}

/** Files of a commit that its page lists. */
const MOST_FILES = 300

function crumb(repo: Repository): string {
  return `<p class="crumb">${text(repo.owner.login)} / <b>${text(repo.name)}</b></p>`
}

/** Issues are no part of what is played here. */
function newIssue(repo: Repository): string {
  return `${crumb(repo)}<h1>New issue</h1><p>GitHub opens its form here, filled in from the link. On this machine issues are not kept.</p>`
}

function checksWords(checks: readonly CheckRun[]): string {
  const [waiting, failed] = [
    checks.filter(({ conclusion }) => conclusion === null).length,
    checks.filter(({ conclusion }) => conclusion !== null && marks[conclusion]?.[0] === 'bad').length,
  ]
  if (waiting > 0) return 'Some checks haven’t completed yet'
  return failed > 0 ? 'Some checks were not successful' : 'All checks have passed'
}

/** `1 failing, 1 neutral, 2 successful checks`: the marks in words, as GitHub has them above the list. */
function conclusionsWords(checks: readonly CheckRun[]): string {
  const kinds = [
    ['failing', 'bad'],
    ['neutral', 'neutral'],
    ['successful', 'good'],
  ] as const
  const counts = kinds.flatMap(([words, mark]) => {
    const { length } = checks.filter(({ conclusion }) => conclusion !== null && marks[conclusion]?.[0] === mark)
    return length === 0 ? [] : [`${length} ${words}`]
  })
  return counts.length === 0 ? '' : `${counts.join(', ')} ${checks.length === 1 ? 'check' : 'checks'}`
}

function missing(): Page {
  return { ...html('Not found', '<h1>Not found</h1>'), status: 404 }
}

function badge(pull: PullRequest): string {
  const state = pull.mergedAt !== null ? 'merged' : pull.state === 'open' && pull.draft ? 'draft' : pull.state
  return `<span class="state ${state}">${state}</span>`
}

const marks: Readonly<Record<string, readonly [string, string]>> = {
  success: ['good', '\u2713'],
  failure: ['bad', '\u2715'],
  error: ['bad', '\u2715'],
  timed_out: ['bad', '\u2715'],
  action_required: ['bad', '!'],
  neutral: ['neutral', '\u25a0'],
  skipped: ['neutral', '\u2298'],
  cancelled: ['neutral', '\u2298'],
}

function mark(state: string): string {
  const [name, sign] = marks[state] ?? ['waiting', '\u25cf']
  return `<span class="mark ${name}" role="img" aria-label="${text(state)}">${sign}</span>`
}

/** GitHub's reactions. */
const faces: Readonly<Record<string, string>> = {
  '+1': '\u{1f44d}',
  '-1': '\u{1f44e}',
  laugh: '\u{1f604}',
  confused: '\u{1f615}',
  heart: '\u2764\ufe0f',
  hooray: '\u{1f389}',
  rocket: '\u{1f680}',
  eyes: '\u{1f440}',
}

function newest(runs: readonly CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suite.id} ${run.name}`, run])).values()]
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
