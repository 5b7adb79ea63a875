import type { Reason } from '../failure.ts'
import { isSilent } from '../silent-failure.ts'
import { runsNeeded } from './never-elsewhere.ts'
import type { CaseWithHistory } from './rule.ts'

/**
 * No rule applies: what there is, and what would have been enough. Of a failure of which nothing is said no number of pull
 * requests would be.
 */
export function tooLittle(case_: CaseWithHistory): readonly [Reason, ...Reason[]] {
  const { failure, falloutTests, counted } = case_
  if (!isSilent(failure, falloutTests)) return [whatIsMissing(case_)]
  const said: Reason = {
    kind: 'nothing-said',
    of: failure.testName === '' ? 'check' : 'test',
    pullRequests: counted.unrelatedPullRequests,
  }
  return counted.hits.length > 0 ? [said] : [said, whatIsMissing(case_)]
}

function whatIsMissing({ counted, thresholds }: CaseWithHistory): Reason {
  const { hits, runs, history } = counted
  if (hits.length > 0) {
    return { kind: 'too-few-hits', pullRequests: counted.unrelatedPullRequests, trunkHits: counted.trunkHits.length }
  }
  if (history.failingNotRead > 0) return { kind: 'more-not-read', hits: history.failingNotRead }
  return { kind: 'too-few-runs', runs, needed: runsNeeded(thresholds) }
}
