import { changeSizes, changeWords } from '../change-sizes.ts'
import type { Section } from '../layout.ts'
import { pictureHtml, pictureKey } from '../pictures.ts'

/** All queries by the size of their change, where the repository asks for pictures and GitHub can fetch them. */
export const changesPicture: Section = {
  name: 'changes-picture',
  priority: 3,
  reserve: 0,
  render: ({ report, links: { pictures } }) => {
    const sizes = pictures == null ? null : changeSizes(report)
    if (pictures == null || sizes === null) return ''
    return pictureHtml((theme) => pictures.changesUrl(pictureKey(sizes), theme), changeWords(sizes))
  },
}
