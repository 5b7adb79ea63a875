import { DECLARED_EVIDENCE, EVIDENCE_KINDS, type EvidenceKind, type EvidenceSide } from './evidence/evidence.ts'
import { FACTS, type Fact, factWords } from './facts.ts'
import { factsIn, GUARD, RULES, type Verdict } from './verdict.ts'

/**
 * The verdict table and its facts as `docs/verdicts.md` has them, in Markdown; why a rule is there, `/perf explain` says. `node
 * src/judge/verdict/verdict-docs.ts` prints them and the kinds of evidence.
 */
export function verdictDocs(): string {
  const rules = RULES.map(({ when, verdict }, index) => {
    const facts = factsIn(when).map((fact) => factWords(fact, when[fact] === true))
    return row([`${index + 1}`, facts.join(', '), verdictWords(verdict)])
  })
  const facts = Object.values(FACTS)
    .filter(isNoKind)
    .map(({ words, meaning }) => row([words, meaning]))
  return [
    row(['rule', 'where the row is', 'verdict']),
    '|---|---|---|',
    ...rules,
    row(['last', `guarded, and its verdict would not be open${finalWords()}`, verdictWords(GUARD.verdict)]),
    '',
    row(['fact', 'holds where']),
    '|---|---|',
    ...facts,
  ].join('\n')
}

/** A fact of the name of a kind of evidence needs no row: it holds where that is there. */
function isNoKind({ words, meaning }: Pick<Fact, 'words' | 'meaning'>): boolean {
  return meaning !== `\`${words.replaceAll(' ', '-')}\``
}

/** `, nor ignored`: verdicts that the guard leaves alone. */
function finalWords(): string {
  return RULES.filter(({ isFinal }) => isFinal === true)
    .map(({ verdict }) => `, nor ${verdictWords(verdict)}`)
    .join('')
}

const SIDE_WORDS: Readonly<Record<EvidenceSide, string>> = {
  change: 'the pull request',
  noise: 'noise',
  machine: 'noise, or doubt without other shards',
  doubt: 'doubt',
  trunk: 'not this pull request',
  neither: 'neither',
}

/** The kinds of evidence as `docs/verdicts.md` has them, in Markdown. */
export function evidenceDocs(): string {
  const rows = inOrderOfPage().map((kind) => {
    const { side, weight, rule } = DECLARED_EVIDENCE[kind]
    return row([`\`${kind}\``, `${SIDE_WORDS[side]}${weight === undefined ? '' : `; ${weight}`}`, rule])
  })
  return [row(['evidence', 'points to', 'rule']), '|---|---|---|', ...rows].join('\n')
}

/** As they are declared, but for what was compared with what, which stands before what the host may have done. */
function inOrderOfPage(): readonly EvidenceKind[] {
  const others: readonly EvidenceKind[] = EVIDENCE_KINDS.filter((kind) => kind !== 'stale-reference')
  return others.toSpliced(others.indexOf('one-process'), 0, 'stale-reference')
}

function verdictWords(verdict: Verdict | null): string {
  return verdict === null ? 'none' : `\`${verdict}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

if (import.meta.main) console.log(`${verdictDocs()}\n\n${evidenceDocs()}`)
