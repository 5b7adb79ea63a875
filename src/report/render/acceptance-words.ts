import type { Acceptance, Said } from '../../judge/verdict/acceptance.ts'
import { MESSAGE_LIMIT } from '../../text/markdown.ts'
import { signedPercent } from '../../text/numbers.ts'
import { code, type Phrase, phrase, time, word } from '../../text/phrase.ts'
import type { ReportRow } from '../report.ts'

/** `accepted by maria at +12%: `reads twice as many columns`, until 31 Dec` */
export function acceptancePhrase(acceptance: Acceptance): Phrase {
  const { difference } = acceptance
  return phrase`accepted ${byWhom(acceptance)}${difference === null ? '' : ` at ${signedPercent(difference)}`}${why(acceptance)}`
}

/** `accepted by maria at +12%, and has grown beyond that` */
function outgrownPhrase(acceptance: Acceptance): Phrase {
  const { difference } = acceptance
  if (difference === null)
    return phrase`accepted ${byWhom(acceptance)} without a result from the new build, and slower now`
  return phrase`accepted ${byWhom(acceptance)} at ${signedPercent(difference)}, and has grown beyond that`
}

/** What a person has accepted of a row, one clause each. */
export function acceptedPhrases({ accepted, outgrown }: ReportRow): Phrase[] {
  return [
    ...(accepted === undefined ? [] : [acceptancePhrase(accepted)]),
    ...(outgrown === undefined ? [] : [outgrownPhrase(outgrown)]),
  ]
}

/** `by maria`, `in the repository’s file` */
export function byWhom({ actor, via }: Pick<Acceptance, 'actor' | 'via'>): Phrase {
  return via === 'file' ? phrase`in the repository’s file` : phrase`by ${word(actor)}`
}

/** `: `a reason`, until 31 Dec`; nothing where neither was said. */
export function why({ reason, until, saidAt }: Omit<Said, 'via'>): Phrase {
  const because = reason === '' ? [] : phrase`: ${code(reason, MESSAGE_LIMIT)}`
  return until === null ? because : phrase`${because}, until ${time(until, saidAt)}`
}
