import { readFileSync } from 'node:fs'
import type { Word } from '../../text/word.ts'

/** `docs/glossary.md`, which `/words` shows and the words of pages lead to. */

export interface GlossaryGroup {
  readonly title: string
  readonly words: readonly Word[]
}

/** In the order of the page. */
export const GLOSSARY: readonly GlossaryGroup[] = groupsOf(
  readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8'),
)

const MEANINGS: ReadonlyMap<string, string> = new Map(
  GLOSSARY.flatMap(({ words }) => words.map(({ term, meaning }) => [term, meaning] as const)),
)

/** null: the glossary does not have the term. */
export function definitionOf(term: string): string | null {
  return MEANINGS.get(term) ?? null
}

/** A heading `## Title` is a group, an item `- **term**: meaning` a word. */
function groupsOf(markdown: string): GlossaryGroup[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const words = [...part.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)]
      return {
        title: part.slice(0, part.indexOf('\n')),
        words: words.map(([, term, meaning]) => ({ term: term!, meaning: meaning! })),
      }
    })
}
