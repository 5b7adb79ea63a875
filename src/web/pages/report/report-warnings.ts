import { html } from 'hono/html'
import { WARNING_WORDS } from '../../../render/glossary.ts'
import type { TriageReport } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { cutAt, fold, LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { capital, explained } from '../../kit/word.ts'

const NAME_LENGTH = 120
const MESSAGE_LENGTH = 300

/** What could not be read. */
export function warningsFold(report: TriageReport): Html | string {
  if (report.warnings.length === 0) return ''
  const items = report.warnings
    .slice(0, LIST_LENGTH)
    .map(
      ({ code, where, message }) =>
        html`<li><b>${explained(WARNING_WORDS[code], capital(WARNING_WORDS[code].term))}</b> <code><bdi>${plainText(where, NAME_LENGTH)}</bdi></code> <bdi>${plainText(message, MESSAGE_LENGTH)}</bdi></li>`,
    )
  return fold(
    counted(report.warnings.length, 'warning of the readers', 'warnings of the readers'),
    html`<ul>${items}</ul>${cutAt(report.warnings.length)}`,
  )
}
