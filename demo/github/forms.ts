import { tellOfRun } from './changes/checks.ts'
import { createComment } from './changes/comments.ts'
import { install } from './changes/installations.ts'
import { addLabels, removeLabel } from './changes/labels.ts'
import { agree, readManifest } from './changes/manifests.ts'
import { closePull, pushCommit } from './changes/pulls.ts'
import { installationPath, registrationPage } from './pages.ts'
import { labelOf, type PullRequest, reaches } from './state.ts'
import type { Author, World } from './world.ts'

export interface FormAnswer {
  readonly status: number
  /** Where the browser goes on; null: the text says what is wrong. */
  readonly location: string | null
  readonly text: string
  readonly isHtml?: boolean
}

/** The forms of a pull request's page: what `state.people` say and do there. */
export class Forms {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /**
   * null: another address.
   * @param origin the request's own; a form of another page does nothing
   */
  answer(path: string, body: string, origin: string | undefined, query: URLSearchParams): FormAnswer | null {
    const registration = this.#registers(path, new URLSearchParams(body), origin, query)
    if (registration !== null) return registration
    if (path === installationPath(this.#world.state)) return this.#installs(new URLSearchParams(body), origin)
    const [, owner, name, number] = /^\/([^/]+)\/([^/]+)\/pull\/(\d+)$/.exec(path) ?? []
    const { state } = this.#world
    const pull = state.repository(owner ?? '', name ?? '')?.pulls.get(Number(number))
    if (pull === undefined) return null
    if (origin !== state.origin) return refusal('The form is of another page.')
    const given = new URLSearchParams(body)
    const person = state.people.find(({ login }) => login === given.get('as'))
    if (person === undefined) return refusal('Nobody of that name uses this page.')
    const refused = this.#does(pull, { account: person, app: null }, given)
    if (refused !== null) return refusal(refused)
    return { status: 303, location: `${path}#say`, text: '' }
  }

  /** An App from a manifest: the form of another page brings it, and a person agrees here. null: another address. */
  #registers(
    path: string,
    given: URLSearchParams,
    origin: string | undefined,
    query: URLSearchParams,
  ): FormAnswer | null {
    const asks = /^\/(?:organizations\/[^/]+\/)?settings\/apps\/new$/.test(path)
    if (!asks && path !== '/settings/apps') return null
    const { state } = this.#world
    const text = given.get('manifest') ?? ''
    const manifest = readManifest(text)
    if (manifest === null) return refusal('This is no manifest of an App.')
    if (asks)
      return {
        status: 200,
        location: null,
        text: registrationPage(manifest, text, query.get('state') ?? ''),
        isHtml: true,
      }
    if (origin !== state.origin) return refusal('The form is of another page.')
    return { status: 303, location: agree(state, manifest, given.get('state')), text: '' }
  }

  /** The browser goes on where the App's setup is. */
  #installs(given: URLSearchParams, origin: string | undefined): FormAnswer {
    const { state } = this.#world
    const { app, repositories, installations } = state
    if (origin !== state.origin) return refusal('The form is of another page.')
    const account = given.get('account') ?? ''
    if (!repositories.some(({ owner }) => owner.login === account)) return refusal('No repository is of that account.')
    if (installations.some((one) => one.account.login === account)) return refusal('It is installed there already.')
    const { permissions, events } = app
    const { id } = install(this.#world, { account, permissions, events })
    if (app.setupUrl === null) return { status: 303, location: '/', text: '' }
    const next = new URL(app.setupUrl)
    next.searchParams.set('installation_id', String(id))
    next.searchParams.set('setup_action', 'install')
    return { status: 303, location: next.href, text: '' }
  }

  /** null: done; else why not. */
  #does(pull: PullRequest, by: Author, given: URLSearchParams): string | null {
    const role = this.#world.state.roleOf(pull.repo, by.account)
    const [what = '', id, identifier = ''] = (given.get('do') ?? '').split(' ')
    switch (what) {
      case 'comment': {
        const body = given.get('body')?.replaceAll('\r\n', '\n') ?? ''
        if (body.trim() === '') return 'A comment has words.'
        createComment(this.#world, pull, by, body)
        return null
      }
      case 'label': {
        const name = given.get('label')?.trim() ?? ''
        if (name === '') return 'A label has a name.'
        if (!reaches(role, 'triage')) return 'Labels need triage access.'
        const label = labelOf(pull.repo, name)
        if (label !== undefined && pull.labels.includes(label)) removeLabel(this.#world, pull, by, label)
        else addLabels(this.#world, pull, by, [name])
        return null
      }
      case 'button': {
        if (!reaches(role, 'write')) return 'The buttons of checks need write access.'
        const run = pull.repo.checkRuns.find((known) => known.id === Number(id))
        if (!run?.actions.some((known) => known.identifier === identifier)) return 'The check has no such button.'
        tellOfRun(this.#world, 'requested_action', run, by, { requested_action: { identifier } })
        return null
      }
      case 'push': {
        if (pull.author !== by.account && !reaches(role, 'write')) return 'The head is for its author.'
        const files = { 'src/next.cpp': `// ${this.#world.state.now().toISOString()}\n` }
        const { repo, ref } = pull.head
        pushCommit(this.#world, repo, { branch: ref, files, message: 'Another commit', author: by.account })
        return null
      }
      case 'merge':
        if (!reaches(role, 'write')) return 'To merge needs write access.'
        if (pull.state !== 'open') return 'The pull request is closed.'
        closePull(this.#world, pull, by.account, true)
        return null
      default:
        return 'The page has no such button.'
    }
  }
}

function refusal(text: string): FormAnswer {
  return { status: 403, location: null, text }
}
