import { html } from 'hono/html'
import type { TriageReport } from '../../../report/report.ts'
import { count, counted, signedPercent } from '../../../text/numbers.ts'
import { cutAt, fold, LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { numberCell } from '../../kit/table.ts'
import { architectureName } from '../../kit/word.ts'

/** Shards in which everything moved. */
export function shiftsFold(report: TriageReport): Html | string {
  if (report.shifts.length === 0) return ''
  const notable = report.shifts.filter((shift) => shift.notable).length
  const rows = report.shifts.slice(0, LIST_LENGTH).map(
    (shift) => html`<tr><th scope="row">${architectureName(shift.architecture)}</th><td>${shift.shard ?? '–'}</td>
<td class="n">${count(shift.queries)}</td>${numberCell('Moved by', shift.shift, signedPercent)}<td>${shift.notable ? 'yes' : 'no'}</td></tr>`,
  )
  return fold(
    notable === 0 ? 'No shard moved as a whole' : `${counted(notable, 'shard', 'shards')} moved as a whole`,
    html`<table><caption>What a typical query of each shard moved by</caption><thead><tr><th scope="col">Architecture</th><th scope="col">Shard</th><th scope="col" class="n">Queries</th><th scope="col" class="n">Moved by</th><th scope="col">Notable</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(report.shifts.length)}`,
  )
}
