import { html } from 'hono/html'
import { plainText } from '../../text/markdown.ts'
import type { Html } from './layout.ts'

/** Characters shown of a title and of a login. */
const LONGEST_SHOWN = 100

/** What its author called a pull request; null or absent: not known. Both are a stranger's words. */
interface Named {
  readonly title?: string | null
  readonly author?: string | null
}

/** `#43 Load orders in parts · alice`, as far as it is known; the number and the title lead to `href`, if there is one. */
export function pullRequestName(number: number, { title = null, author = null }: Named, href: string | null): Html {
  const name = html`#${number}${title === null ? '' : html` <bdi>${plainText(title, LONGEST_SHOWN)}</bdi>`}`
  const by = author === null ? '' : html` <small>·\u00a0<bdi>${plainText(author, LONGEST_SHOWN)}</bdi></small>`
  return html`${href === null ? name : html`<a href="${href}">${name}</a>`}${by}`
}
