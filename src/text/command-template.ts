/** Placeholders of a command, in the place of each of which stands a value that `shellQuote` has made one word. */
const PLACEHOLDER = /\{[^{}]*\}/y

/** What opens and what then closes a place where that word is no word, or is read once more. */
const PLACES: Readonly<Record<string, { readonly until: string; readonly words: string }>> = {
  "'": { until: "'", words: 'inside single quotes' },
  "$'": { until: "'", words: 'inside single quotes' },
  '"': { until: '"', words: 'inside double quotes' },
  '$"': { until: '"', words: 'inside double quotes' },
  '`': { until: '`', words: 'inside backticks' },
  '$(': { until: ')', words: 'inside $(…)' },
  '<(': { until: ')', words: 'inside <(…)' },
  '>(': { until: ')', words: 'inside >(…)' },
  '((': { until: ')', words: 'inside ((…))' },
  '${': { until: '}', words: 'inside the braces of a variable' },
  '$[': { until: ']', words: 'inside $[…]' },
  '(': { until: ')', words: 'inside (…)' },
}
const OPENERS = Object.keys(PLACES)
const IN_DOUBLE_QUOTES = OPENERS.filter((opener) => /^[`]|^\$[({[]/.test(opener))

/** Programs that read their arguments as a command, and shells, which read the one after `-c` so. */
const READS_AGAIN = /^(?:[\w.-]*\/)*(?:eval|ssh)$/
const SHELL = /^(?:[\w.-]*\/)*(?:ba|da|a|k|mk|z)?sh$/
const IS_COMMAND = /^-[a-z]*c$/

/**
 * Where in a command a placeholder stands at which a value could run as a part of it; null: nowhere. Commands stand below each other, so
 * that a quote which does not end reaches into the next one.
 *
 * Triggers: `run.sh "{test}"`, `sh -c {test}`, `run.sh ${test}`, `run.sh {test} 'a`. Does not: `"my run.sh" --test={test}`.
 */
export function unsafePlaceholder(command: string): string | null {
  const open: string[] = []
  let words = ['']
  for (let at = 0; at < command.length; ) {
    const place = open.at(-1) ?? ''
    const isRaw = place === "'"
    PLACEHOLDER.lastIndex = at
    const placeholder = PLACEHOLDER.exec(command)?.[0]
    const previous = command[at - 1] ?? ' '
    if (placeholder !== undefined) {
      const outermost = open.find((opener) => opener !== '(')
      if (outermost !== undefined) return `${placeholder} stands ${PLACES[outermost]!.words}`
      const reader = readsAgain(words)
      if (reader !== null) return `${placeholder} is read as a command by ${reader}`
      words.push(`${words.pop()!}x`)
      at += placeholder.length
      continue
    }
    const rest = command.slice(at, at + 2)
    if (!isRaw && /^[\\$]/.test(rest)) {
      PLACEHOLDER.lastIndex = at + 1
      const marked = PLACEHOLDER.exec(command)?.[0]
      if (marked !== undefined) return `${marked} stands after "${rest[0]}"`
    }
    if (!isRaw && rest.startsWith('\\')) {
      if (at + 1 === command.length) return 'it ends with "\\"'
      words.push(`${words.pop()!}${command[at + 1]!}`)
      at += 2
      continue
    }
    if (place !== '' && rest.startsWith(PLACES[place]!.until)) {
      open.pop()
      at += 1
      continue
    }
    const openers = isRaw || place === "$'" ? [] : isDouble(place) ? IN_DOUBLE_QUOTES : OPENERS
    const opener = openers.find((one) => one.length === 2 && rest === one) ?? openers.find((one) => rest[0] === one)
    if (opener !== undefined) {
      open.push(opener)
      // A second "(" has a ")" of its own.
      if (opener === '((') open.push('(')
      at += opener.length
      continue
    }
    const isBare = open.every((one) => one === '(')
    const character = rest[0]!
    if (isBare) {
      if (character === '#' && /[\s;&|(]/.test(previous)) break
      if (command.startsWith('<<', at) && command[at + 2] !== '<' && previous !== '<')
        return 'it has a here-document (<<)'
    }
    if (isBare && /[;&|]/.test(character)) words = ['']
    else if (isBare && /\s/.test(character)) words.push('')
    else words.push(`${words.pop()!}${character}`)
    at += 1
  }
  return open.length === 0 ? null : `what it has ${PLACES[open[0]!]!.words} does not end`
}

function isDouble(place: string): boolean {
  return place === '"' || place === '$"'
}

/** The program by which the word that is begun is read as a command; null: by none. */
function readsAgain(words: readonly string[]): string | null {
  const before = words.slice(0, -1).filter((word) => word !== '')
  const reader = before.find((word) => READS_AGAIN.test(word))
  if (reader !== undefined) return reader
  const shell = before.find((word) => SHELL.test(word))
  return shell !== undefined && IS_COMMAND.test(before.at(-1)!) ? `${shell} ${before.at(-1)!}` : null
}
