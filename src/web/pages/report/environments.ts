import { html } from 'hono/html'
import { ENVIRONMENT_FIELDS, type EnvironmentField } from '../../../intake/measurement/environment.ts'
import type { EnvironmentsOfRun, TriageReport } from '../../../report/report.ts'
import { ENVIRONMENT_WORDS } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { list } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import type { Column } from '../../../text/table.ts'
import type { Html } from '../../kit/layout.ts'
import { nameColumn, textColumn } from '../../kit/table.ts'
import { architectureName } from '../../kit/word.ts'
import { fold, listTable } from './report-folds.ts'

/** Characters shown of a value. */
const NAME_LENGTH = 120

/** The places that the sides were measured in, as the tools name them. */
export function environmentsFold({ environments = [] }: TriageReport): Html | string {
  if (environments.length === 0) return ''
  const lines = environments.flatMap((of) => {
    const fields = ENVIRONMENT_FIELDS.filter((field) => (of.old[field] ?? of.new[field]) !== undefined)
    return fields.map((field): EnvironmentLine => ({ ...of, field, isOther: of.differing.includes(field) }))
  })
  // of the head alone there is no old side
  const sides = lines.some(({ field, old }) => old[field] !== undefined) ? SIDES : SIDES.slice(1, 2)
  const columns = environments.length > 1 ? [WHAT, ...OF_SEVERAL, ...sides] : [WHAT, ...sides]
  const differing = [...new Set(lines.filter(({ isOther }) => isOther).map(({ field }) => ENVIRONMENT_WORDS[field]))]
  const which = differing.length === 0 ? '' : `: ${list(differing)} ${differing.length === 1 ? 'differs' : 'differ'}`
  return fold(
    `Where the sides were measured${which}`,
    listTable('What the tools say about where the sides were measured', columns, lines),
  )
}

interface EnvironmentLine extends EnvironmentsOfRun {
  readonly field: EnvironmentField
  readonly isOther: boolean
}

const WHAT: Column<EnvironmentLine> = nameColumn('What', ({ field }) => capital(ENVIRONMENT_WORDS[field]))
const OF_SEVERAL: readonly Column<EnvironmentLine>[] = [
  textColumn('Check', ({ check }) => html`<bdi>${plainText(check, NAME_LENGTH)}</bdi>`),
  textColumn('Rows of', ({ architecture }) => (architecture === null ? '–' : architectureName(architecture))),
]
const SIDES: readonly Column<EnvironmentLine>[] = [
  textColumn('Old', ({ field, old }) => valuesOf(old[field])),
  textColumn('New', ({ field, new: fresh }) => valuesOf(fresh[field])),
  textColumn('', ({ isOther }) => (isOther ? html`<strong>differs</strong>` : '')),
]

function valuesOf(values: readonly string[] | undefined): Html | string {
  if (values === undefined) return '–'
  return html`${values.map((value, index) => html`${index === 0 ? '' : ', '}<bdi>${plainText(value, NAME_LENGTH)}</bdi>`)}`
}
