import { ApiError, notFound, validationFailed } from '../api-error.ts'
import { addLabels, createLabel, removeLabel } from '../changes/labels.ts'
import { characters } from '../characters.ts'
import { labelJson } from '../resources/pull-request.ts'
import { type Answer, author, type Call, paged, pullOf, type Route, repositoryOf } from '../route.ts'
import { labelOf, type PullRequest } from '../state.ts'

const read = ['issues:read', 'pull_requests:read']
const write = ['issues:write', 'pull_requests:write']
const maxNameCharacters = 50
const maxDescriptionCharacters = 100

export const labelRoutes: readonly Route[] = [
  {
    operation: 'issues/list-labels-on-issue',
    needs: read,
    answer: (call) => {
      const pull = pullOf(call, 'issue_number')
      return paged(call, pull.labels, (page) => page.map((label) => labelJson(call.state, pull.repo, label)))
    },
  },
  {
    operation: 'issues/add-labels',
    needs: write,
    person: 'triage',
    answer: (call) => {
      const pull = pullOf(call, 'issue_number')
      const names = wantedNames(call.body)
      if (names.length === 0) throw validationFailed({ resource: 'Label', code: 'missing_field', field: 'name' })
      names.forEach(checkName)
      addLabels(call, pull, author(call), names)
      return labelsOf(call, pull)
    },
  },
  {
    operation: 'issues/remove-label',
    needs: write,
    person: 'triage',
    answer: (call) => {
      const pull = pullOf(call, 'issue_number')
      const label = labelOf(pull.repo, call.path['name'] ?? '')
      if (label === undefined || !pull.labels.includes(label)) throw new ApiError(404, 'Label does not exist')
      removeLabel(call, pull, author(call), label)
      return labelsOf(call, pull)
    },
  },
  {
    operation: 'issues/list-labels-for-repo',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      return paged(call, [...repo.labels.values()], (page) => page.map((label) => labelJson(call.state, repo, label)))
    },
  },
  {
    operation: 'issues/get-label',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const label = labelOf(repo, call.path['name'] ?? '')
      if (label === undefined) throw notFound()
      return { status: 200, body: labelJson(call.state, repo, label) }
    },
  },
  {
    operation: 'issues/create-label',
    needs: write,
    person: 'write',
    answer: (call) => {
      const repo = repositoryOf(call)
      const values = call.body as { name: string; color?: string; description?: string }
      checkName(values.name)
      if (labelOf(repo, values.name) !== undefined) {
        throw validationFailed({ resource: 'Label', code: 'already_exists', field: 'name' })
      }
      if (values.color !== undefined && !/^[0-9a-fA-F]{6}$/.test(values.color)) {
        throw validationFailed({ resource: 'Label', code: 'invalid', field: 'color' })
      }
      if (characters(values.description ?? '') > maxDescriptionCharacters) {
        throw validationFailed({
          resource: 'Label',
          code: 'custom',
          field: 'description',
          message: `description is too long (maximum is ${maxDescriptionCharacters} characters)`,
        })
      }
      return { status: 201, body: labelJson(call.state, repo, createLabel(call.state, repo, values)) }
    },
  },
]

function labelsOf(call: Call, pull: PullRequest): Answer {
  return { status: 200, body: pull.labels.map((label) => labelJson(call.state, pull.repo, label)) }
}

/** The body may be `{labels: [...]}` or the bare list; a label may be its name or an object with it. */
function wantedNames(body: unknown): string[] {
  const list = Array.isArray(body) ? body : ((body as { labels?: unknown[] } | undefined)?.labels ?? [])
  return list.map((item) => (typeof item === 'string' ? item : (item as { name: string }).name))
}

function checkName(name: string): void {
  if (name.trim() === '') throw validationFailed({ resource: 'Label', code: 'missing_field', field: 'name' })
  if (characters(name) > maxNameCharacters) {
    throw validationFailed({
      resource: 'Label',
      code: 'custom',
      field: 'name',
      message: `name is too long (maximum is ${maxNameCharacters} characters)`,
    })
  }
}
