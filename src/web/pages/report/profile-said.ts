import { html } from 'hono/html'
import { shortFunctionName } from '../../../profile/function-name.ts'
import { sampledWords, withoutChance } from '../../../render/profile-words.ts'
import type { RowProfile } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { onArchitecture } from '../../kit/word.ts'

const NAME_LENGTH = 120

/** The profile of a row in words, with the way to its flame graph; empty where there is none. */
export function profileSaid(profile: RowProfile | null | undefined, flameGraph: string): Html | string {
  if (profile === undefined || profile === null || profile.traceTypes.length === 0) return ''
  const { cautions, total } = withoutChance(profile.words)
  const frames = total.map(
    ({ name, change, points, callers, withinChance }) =>
      html`<li><code><bdi>${plainText(shortFunctionName(name), NAME_LENGTH) || '(no name)'}</bdi></code> ${change} <small>${points}${withinChance ? ', within chance' : ''}${callers === 0 ? '' : `, the same for ${counted(callers, 'frame that only calls', 'frames that only call')} it`}</small></li>`,
  )
  return html`<div class="profile">Profile${onArchitecture(profile.architecture)}, shares of all ${sampledWords(profile)}, old → new: <a href="${flameGraph}">flame graph</a>
${cautions.length === 0 ? '' : html`<p>${cautions.join(' ')}</p>`}${frames.length === 0 ? '' : html`<ul class="evidence">${frames}</ul>`}</div>`
}
