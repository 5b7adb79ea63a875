import { clientIdOf } from '../oauth.ts'
import type { App, Installation, State } from '../state.ts'
import { accountJson } from './account.ts'
import { type JsonObject, nodeId, time, timeOrNull } from './json.ts'

/** `integration`. */
export function appJson(state: State, app: App): JsonObject {
  return {
    id: app.id,
    client_id: clientIdOf(app),
    slug: app.slug,
    node_id: nodeId('A', app.id),
    owner: accountJson(state, app.owner),
    name: app.name,
    description: '',
    external_url: `${state.origin}/apps/${app.slug}/home`,
    html_url: `${state.origin}/apps/${app.slug}`,
    created_at: time(app.createdAt),
    updated_at: time(app.createdAt),
    permissions: app.permissions,
    events: [...app.events],
  }
}

/** `installation`. */
export function installationJson(state: State, installation: Installation): JsonObject {
  return {
    id: installation.id,
    client_id: clientIdOf(state.app),
    account: accountJson(state, installation.account),
    repository_selection: installation.repositoryIds === null ? 'all' : 'selected',
    access_tokens_url: `${state.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${state.apiUrl}/installation/repositories`,
    html_url: `${state.origin}/settings/installations/${installation.id}`,
    app_id: state.app.id,
    app_slug: state.app.slug,
    target_id: installation.account.id,
    target_type: installation.account.type,
    permissions: installation.permissions,
    events: [...installation.events],
    created_at: time(installation.createdAt),
    updated_at: time(installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: timeOrNull(installation.suspendedAt),
  }
}
