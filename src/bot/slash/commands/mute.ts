import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'

/** For a maintainer of a pull request on which the report does not matter. The person sees one line in place of the comment. */
export const mute: Command = {
  name: 'mute',
  usage: 'mute ["REASON"] [until DATE]',
  who: 'write',
  summary:
    'Reduces the comment to one line, and makes the check neutral. With `mode: gating` the check stays as it is, since people rely on it.',
  run({ saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const { names, reason, until } = given
    if (names.length > 0)
      return refused('`mute` applies to the whole pull request and takes only a reason in quotes and `until DATE`.')
    const decision = { kind: 'mute', subject: null, reason: reason ?? '', until } as const
    return { wasDone: true, words: null, decision, looksAgain: 'as-it-stands' }
  },
}

/** For a maintainer who wants the report back. The person sees the comment as it should stand now. */
export const unmute: Command = {
  name: 'unmute',
  usage: 'unmute',
  who: 'write',
  takesBack: true,
  summary: 'Brings the comment back.',
  run: ({ said }) =>
    said.mute === null
      ? refused('This pull request is not muted.')
      : {
          wasDone: true,
          words: null,
          decision: { kind: 'unmute', subject: null, reason: '', until: null },
          looksAgain: 'as-it-stands',
        },
}
