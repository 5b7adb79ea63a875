import type { Account, State } from '../state.ts'
import { type JsonObject, nodeId, time } from './json.ts'

/** `simple-user`. */
export function accountJson(state: State, account: Account): JsonObject {
  const login = encodeURIComponent(account.login)
  const url = `${state.apiUrl}/users/${login}`
  const page = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : login
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type === 'Bot' ? 'BOT' : 'U', account.id),
    avatar_url: `${state.origin}/avatars/${account.id}`,
    gravatar_id: '',
    url,
    html_url: `${state.origin}/${page}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  }
}

/** `public-user`: what an App sees of the person whose token it has. */
export function userJson(state: State, account: Account): JsonObject {
  return {
    ...accountJson(state, account),
    name: null,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: time(state.app.createdAt),
    updated_at: time(state.app.createdAt),
  }
}
