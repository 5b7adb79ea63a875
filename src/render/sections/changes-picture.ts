import { xmlText } from '../../profile/xml-text.ts'
import { changeSizes, changesKey, changeWords } from '../change-sizes.ts'
import type { Section } from '../layout.ts'

/** All queries by the size of their change, where the repository asks for pictures and GitHub can fetch them. */
export const changesPicture: Section = {
  name: 'changes-picture',
  priority: 3,
  reserve: 0,
  render: ({ report, links: { changesPictureUrl } }) => {
    const sizes = changesPictureUrl == null ? null : changeSizes(report)
    if (changesPictureUrl == null || sizes === null) return ''
    const [light, dark] = (['light', 'dark'] as const).map((theme) =>
      xmlText(changesPictureUrl(changesKey(sizes), theme)),
    )
    return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}"><img src="${light}" alt="${xmlText(changeWords(sizes))}"></picture>`
  },
}
