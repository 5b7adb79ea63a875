import { operation } from './contract.ts'
import type { Route } from './route.ts'
import { actionsRoutes } from './routes/actions.ts'
import { appRoutes } from './routes/apps.ts'
import { checkRoutes } from './routes/checks.ts'
import { commentRoutes } from './routes/comments.ts'
import { commitRoutes } from './routes/commits.ts'
import { gitRoutes } from './routes/git.ts'
import { hookRoutes } from './routes/hooks.ts'
import { issueRoutes } from './routes/issues.ts'
import { labelRoutes } from './routes/labels.ts'
import { pullRoutes } from './routes/pulls.ts'
import { repositoryRoutes } from './routes/repositories.ts'
import { statusRoutes } from './routes/statuses.ts'
import { userRoutes } from './routes/users.ts'

interface Matcher {
  readonly route: Route
  readonly method: string
  readonly segments: number
  readonly pattern: RegExp
}

const routes: readonly Route[] = [
  ...appRoutes,
  ...hookRoutes,
  ...repositoryRoutes,
  ...commentRoutes,
  ...issueRoutes,
  ...labelRoutes,
  ...checkRoutes,
  ...statusRoutes,
  ...pullRoutes,
  ...commitRoutes,
  ...gitRoutes,
  ...actionsRoutes,
  ...userRoutes,
]

/** Parameters whose value may hold slashes. */
const withSlashes = new Set(['path', 'ref', 'basehead', 'branch'])

/** More segments first, so that `commits/{ref}/status` is seen before `commits/{ref}`. */
const matchers: readonly Matcher[] = routes
  .map((route) => {
    const { method, path } = operation(route.operation)
    // The root's listing is `contents` without a path.
    const pattern = path.replace(/\/?\{(\w+)\}/g, (_, name: string) =>
      name === 'path' ? `(?:/(?<${name}>.*))?` : '/' + (withSlashes.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`),
    )
    return { route, method, segments: path.split('/').length, pattern: new RegExp(`^${pattern}$`) }
  })
  .toSorted((a, b) => b.segments - a.segments)

export interface Match {
  readonly route: Route
  readonly parameters: Record<string, string>
}

/** @param path decoded only after matching: a label or a branch may hold an encoded slash */
export function match(method: string, path: string): Match | null {
  for (const matcher of matchers) {
    if (matcher.method !== method) continue
    const groups = matcher.pattern.exec(path)
    if (groups === null) continue
    const parameters: Record<string, string> = {}
    for (const [name, value] of Object.entries<string | undefined>(groups.groups ?? {})) {
      parameters[name] = decodeURIComponent(value ?? '')
    }
    return { route: matcher.route, parameters }
  }
  return null
}
