/**
 * `.github/perf-triage.yml` after validation: what the rules and the triage read. Every key has a default that works
 * for a repository that uploads artifacts named `performance-*`.
 */
export interface RepositoryConfig {
  /** Check names as patterns with named parts; empty: the results themselves say what there is. */
  readonly checks: readonly string[]
  /** Workflow names or file names whose runs may carry results; empty: all of them. */
  readonly workflows: readonly string[]
  /** Where results are, tried in order for each check. */
  readonly results: readonly ResultsSource[]
  readonly reference: { readonly file: string }
  readonly metric: string
  readonly thresholds: {
    /** null: the built-in floor stands. */
    readonly changed: number | null
    readonly unstable: number | null
    readonly learnedCap: number
  }
  readonly lookbackDays: number
  readonly labels: { readonly enabled: boolean; readonly slower: string; readonly faster: string }
  /** The least permission on the repository that may acknowledge. */
  readonly acknowledge: 'triage' | 'write' | 'maintain' | 'admin'
  readonly comment: 'on-change' | 'always' | 'never'
  readonly mode: 'advisory' | 'gating'
  readonly ledger: {
    readonly rollupChecks: readonly string[]
    readonly falloutTests: readonly string[]
    readonly issueLabels: readonly string[]
  }
  readonly links: readonly DashboardLink[]
  readonly retention: { readonly sampleDays: number }
}

export type ResultsSource =
  /** A GitHub artifact by name pattern; `path` picks members inside it, archives in it are opened too. */
  | { readonly kind: 'artifact'; readonly artifact: string; readonly path: string | null }
  /** An address with `{pr} {sha} {workflow} {check}`; 403 and 404 both mean that nothing is there. */
  | { readonly kind: 'url'; readonly url: string; readonly path: string | null }

export interface DashboardLink {
  readonly title: string
  /** May hold `{pr} {sha} {test} {query} {architecture}`. */
  readonly url: string
}
