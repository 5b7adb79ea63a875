import type { Account, App, State } from './state.ts'
import type { Webhooks } from './webhooks.ts'

/** What a change needs: the records, and somewhere to tell of it. */
export interface World {
  readonly state: State
  readonly webhooks: Webhooks
}

/** Who makes a change: a person, or an app through its bot account. */
export interface Author {
  readonly account: Account
  readonly app: App | null
}

export function appAuthor(app: App): Author {
  return { account: app.bot, app }
}
