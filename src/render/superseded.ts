import type { CheckRunOutput } from './check-run.ts'

/** What stands in the check run of a head that a push, or the end of the pull request, has left behind unfinished. */
export function renderSuperseded(newHead: string | null): CheckRunOutput {
  const why =
    newHead === null
      ? 'The pull request was closed before all results were in.'
      : `A newer commit, ${newHead.slice(0, 7)}, was pushed before all results of this one were in.`
  return {
    status: 'completed',
    conclusion: 'neutral',
    title: newHead === null ? 'Closed before all results were in' : `Superseded by ${newHead.slice(0, 7)}`,
    summary: `${why} What was measured of it until then is not judged here.`,
    text: '',
    annotations: [],
  }
}
