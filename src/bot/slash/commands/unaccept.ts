import type { OpenFindings, StandingDecisions } from '../../../report/acceptance.ts'
import type { Unknown } from '../../../report/report.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'
import { namesIn } from '../rows-named.ts'
import { chosenOf, sizeOf } from './accept.ts'

/** For a maintainer who has thought again. The person sees a thumbs up; the rows stand open again. */
export const unaccept: Command = {
  name: 'unaccept',
  usage: 'unaccept [ROW … | suite | measurement | all]',
  who: 'acknowledge',
  takesBack: true,
  summary: 'Undoes `accept`: the rows are open again.',
  run({ pullRequest, findings, said, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const accepted = acceptedOf(said, pullRequest.head)
    if (sizeOf(accepted) === 0) {
      const nothing = refused('Nothing is accepted on this pull request.')
      const early = findings === null ? null : chosenOf(findings, namesIn(given, findings.rows))
      if (early === null || typeof early === 'string' || sizeOf(early) === 0) return nothing
      // An acceptance that was said before this and is heard after it is taken back too.
      return { ...nothing, decision: { kind: 'unaccept', subject: early, reason: given.reason ?? '', until: null } }
    }
    const chosen = chosenOf(accepted, namesIn(given, accepted.rows), 'is accepted')
    if (typeof chosen === 'string') return refused(chosen)
    const decision = { kind: 'unaccept', subject: chosen, reason: given.reason ?? '', until: null } as const
    return { wasDone: true, words: null, decision, looksAgain: 'as-it-stands' }
  },
}

function acceptedOf({ rows, suites, unknowns, measurement }: StandingDecisions, head: string): OpenFindings {
  const lostShards = [...unknowns].find(([key, of]) => key.startsWith(`${head} `) && of.lostShards)?.[1].lostShards
  return {
    head,
    rows: [...rows.values()].map(({ row }) => row),
    suites: [...suites.values()].map(({ suite }) => suite),
    unknowns: [...unknowns.keys()].flatMap((key) => {
      const [of, unknown] = key.split(' ')
      return of === head ? [unknown as Unknown] : []
    }),
    ...(lostShards !== undefined && { lostShards }),
    ...(measurement.size > 0 && { measurement: [...measurement.keys()] }),
  }
}
