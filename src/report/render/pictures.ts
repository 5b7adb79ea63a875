import { createHash } from 'node:crypto'
import { xmlText } from '../../judge/profile/xml-text.ts'
import { type Direction, shownValue } from '../../judge/verdict/classified-query.ts'
import { counted, hasScale, values } from '../../text/numbers.ts'
import { decisive } from '../parts.ts'
import type { ReportRow, TrunkLine } from '../report.ts'
import type { Theme } from '../urls.ts'

/** A name of a picture that changes whenever what it shows does: 16 hexadecimal digits. */
export function pictureKey(shown: object): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 16)
}

/** A picture as GitHub shows it, light and dark; `words` are read where it can't be seen. */
export function pictureHtml(urlOf: (theme: Theme) => string, words: string): string {
  const [light, dark] = (['light', 'dark'] as const).map((theme) => xmlText(urlOf(theme)))
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="${xmlText(words)}"></picture>`
}

/** A query's runs on the trunk, and what was measured here. */
export interface TrunkPicture extends TrunkLine {
  readonly here: number
  readonly unit: string | null
  readonly direction: Direction | null
}

/** null where the row has none. */
export function trunkPicture(row: ReportRow): TrunkPicture | null {
  const { trunkLine, unit } = row
  const { new: fresh, direction } = decisive(row)
  const here = shownValue(fresh)
  return trunkLine === undefined || here === null ? null : { ...trunkLine, here, unit, direction }
}

/** The same as the picture, for those who can't see it. It has no name of a query. */
export function trunkWords({ runs, lowest, highest, here, unit }: TrunkPicture): string {
  const of = unit !== null && hasScale(unit) ? unit : null
  return `${counted(runs, 'run', 'runs')} on the main branch between ${values([lowest, highest], of)}, here ${values([here], of)}`
}
