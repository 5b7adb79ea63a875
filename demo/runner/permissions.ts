import type { Permissions } from '../github/state.ts'
import type { PermissionsGiven } from './workflow.ts'

const scopes = ['actions', 'checks', 'contents', 'issues', 'pull-requests', 'statuses']

/**
 * The permissions of a job's token: those of the job, else of the workflow, else to read contents.
 * @param readOnly a pull request of a fork: no file gets more than to read
 */
export function permissionsOf(
  ofJob: PermissionsGiven | undefined,
  ofWorkflow: PermissionsGiven | undefined,
  readOnly: boolean,
): Permissions {
  const given = ofJob ?? ofWorkflow ?? { contents: 'read' }
  const listed =
    typeof given === 'string' ? scopes.map((scope) => [scope, given.replace('-all', '')]) : Object.entries(given)
  return Object.fromEntries(
    listed
      .filter(([, level]) => level !== 'none')
      .map(([scope, level]) => [scope!.replaceAll('-', '_'), readOnly || level === 'read' ? 'read' : 'write']),
  )
}
