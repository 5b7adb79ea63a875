/** Where a repository has its configuration. */
export const CONFIG_PATH = '.github/perf-triage.yml'
