import { html } from 'hono/html'
import type { TriageReport } from '../../report/report.ts'
import { plainText } from '../../text/markdown.ts'
import { capitalized, type Phrase, toHtml } from '../../text/phrase.ts'
import type { Html } from './layout.ts'
import { commitLink } from './links.ts'

/** A text from outside as a link, or as a text alone where there is no address. */
export function linked(href: string | null, text: string): Html {
  return href === null ? html`<bdi>${text}</bdi>` : html`<a href="${href}"><bdi>${text}</bdi></a>`
}

/** A commit, shortened where its link has all of it. */
export function commit(report: TriageReport, id: string): Html {
  const text = plainText(id, 64)
  const href = commitLink(report, id)
  return linked(href, href === null ? text : text.slice(0, 10))
}

/** A phrase as a sentence of its own, with its commits linked. */
export function sentence(report: TriageReport, said: Phrase): Html {
  return toHtml(capitalized(said), (id) => commitLink(report, id))
}
