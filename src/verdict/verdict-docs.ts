import { FACTS, type Fact } from './facts.ts'
import { factsIn, GUARD, RULES, type Verdict } from './verdict.ts'

/** The verdict table and its facts as `docs/verdicts.md` has them, in Markdown. `node src/verdict/verdict-docs.ts` prints it. */
export function verdictDocs(): string {
  const rules = RULES.map(({ when, verdict, words }, index) => {
    const facts = factsIn(when).map((fact) => factWords(FACTS[fact], when[fact] === true))
    return row([`${index + 1}`, facts.join(', '), verdictWords(verdict), words])
  })
  const facts = Object.values(FACTS).map(({ words, meaning }) => row([words, meaning]))
  return [
    row(['rule', 'where the row is', 'verdict', 'because']),
    '|---|---|---|---|',
    ...rules,
    row(['last', 'guarded, and its verdict would not be open', verdictWords(GUARD.verdict), GUARD.words]),
    '',
    row(['fact', 'holds where']),
    '|---|---|',
    ...facts,
  ].join('\n')
}

function factWords({ words, otherwise = `not ${words}` }: Fact, holds: boolean): string {
  return holds ? words : otherwise
}

function verdictWords(verdict: Verdict | null): string {
  return verdict === null ? 'none' : `\`${verdict}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

if (import.meta.main) console.log(verdictDocs())
