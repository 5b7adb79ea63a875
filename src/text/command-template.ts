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

/** Programs that read all of their arguments as a command. */
const READS_AGAIN = /^(?:eval|ssh|watch)$/

/** Builtins that do so with theirs or read them as a file of commands. They stand first: `go test . {test}` has another dot. */
const BUILTIN = /^(?:trap|source|\.)$/
const BEFORE_FIRST = /^(?:\w+=.*|[!{]|if|then|elif|else|while|until|do|time|command|builtin)$/s

/** Programs that read the word after an option as a command. */
interface Interpreter {
  readonly program: RegExp
  /** How the option begins: the word may be the rest of it, as in `-c{test}`. */
  readonly option: RegExp
  /** `bench` in `su bench -c`; of others options end at the first word that is none, as in `python3 run.py -c`. */
  readonly hasWordsBefore?: true
}

const SHELL: Interpreter = { program: /^(?:ba|rba|da|a|k|mk|z|c|tc|fi)?sh$/, option: /^-[A-Za-z]*c|^--command/ }
const LANGUAGES: readonly Interpreter[] = [
  SHELL,
  { program: /^(?:python|pypy)[\d.]*$/, option: /^-[A-Za-z]*c/ },
  { program: /^(?:perl|ruby|lua|julia|Rscript)[\d.]*$/, option: /^-\w*[eE]/ },
  { program: /^(?:node|nodejs)$/, option: /^-p?e|^-p|^--(?:eval|print)/ },
  { program: /^php[\d.]*$/, option: /^-[A-Za-z]*r|^--run/ },
]
const INTERPRETERS: readonly Interpreter[] = [
  ...LANGUAGES,
  { program: /^env$/, option: /^-\w*S|^--split-string/ },
  {
    program: /^(?:su|runuser|script|flock|sg)$/,
    option: /^-[A-Za-z]*c|^--(?:session-)?command/,
    hasWordsBefore: true,
  },
]

/** Options of these that take the word after them, or may: `bash -o pipefail -c`. */
const TAKES_WORD = /^[-+]\w*[oOWXIrulC]$|^--[\w-]+$/

/** What is wrong with a command, and what to write. */
export interface UnsafePlaceholder {
  readonly problem: string
  readonly advice: string
}

const BARE = 'write each placeholder bare, as in "run.sh --test={test} {query}", because its value is already quoted'
const WITHOUT_SHELL = `remove that program or use sh -c '… "$1"' sh {test}`

/**
 * Where in a command a placeholder stands at which a value could run as a part of it; null: nowhere. Commands stand below each other, so
 * that a quote which does not end reaches into the next one.
 *
 * Triggers: `run.sh "{test}"`, `sh -c {test}`, `echo {test} | sh`, `run.sh ${test}`, `run.sh {test} 'a`. Does not: `"my run.sh" {test}`.
 */
export function unsafePlaceholder(command: string): UnsafePlaceholder | null {
  const problem = misplaced(command)
  if (problem === null) return null
  return typeof problem === 'string'
    ? { problem, advice: BARE }
    : { problem: `${problem.placeholder} is read as a command by ${problem.by}`, advice: WITHOUT_SHELL }
}

/** A text: it stands at a wrong place. */
function misplaced(command: string): string | { readonly placeholder: string; readonly by: string } | null {
  const open: string[] = []
  let words = ['']
  let first: string | null = null
  // The command that is begun may read a value from its input.
  let isFed = false
  for (let at = 0; at < command.length; ) {
    const place = open.at(-1) ?? ''
    const isRaw = place === "'"
    PLACEHOLDER.lastIndex = at
    const placeholder = PLACEHOLDER.exec(command)?.[0]
    const previous = command[at - 1] ?? ' '
    if (placeholder !== undefined) {
      const outermost = open.find((opener) => opener !== '(')
      if (outermost !== undefined) return `${placeholder} is ${PLACES[outermost]!.words}`
      const by = readsAgain(words)
      if (by !== null) return { placeholder, by }
      first ??= placeholder
      isFed ||= words
        .filter((word) => word !== '')
        .slice(-2)
        .some((word) => word.startsWith('<<<'))
      words.push(`${words.pop()!}x`)
      at += placeholder.length
      continue
    }
    const rest = command.slice(at, at + 2)
    if (!isRaw && /^[\\$]/.test(rest)) {
      PLACEHOLDER.lastIndex = at + 1
      const marked = PLACEHOLDER.exec(command)?.[0]
      if (marked !== undefined) return `${marked} comes after "${rest[0]}"`
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
    if (isBare && /[;&|]/.test(character) && !/[<>]/.test(previous) && rest !== '&>') {
      const by = isFed ? readsInput(words) : null
      if (first !== null && by !== null) return { placeholder: first, by }
      const isPipe = character === '|' && rest !== '||' && previous !== '|'
      isFed = isPipe ? first !== null : isFed && (open.length > 0 || previous === '|')
      words = ['']
    } else if (isBare && /[<>]/.test(character) && !/^[\d<>]*$/.test(words.at(-1)!)) words.push(character)
    else if (isBare && /\s/.test(character)) words.push('')
    else words.push(`${words.pop()!}${character}`)
    at += 1
  }
  const by = isFed ? readsInput(words) : null
  if (first !== null && by !== null) return { placeholder: first, by }
  return open.length === 0 ? null : `something ${PLACES[open[0]!]!.words} is never closed`
}

function isDouble(place: string): boolean {
  return place === '"' || place === '$"'
}

/** The program by which the word that is begun is read as a command; null: by none. */
function readsAgain(words: readonly string[]): string | null {
  const before = withoutRedirections(words.slice(0, -1))
  const first = before.find((word) => !BEFORE_FIRST.test(word))
  if (first !== undefined && BUILTIN.test(first)) return first
  for (const [index, word] of before.entries()) {
    const name = nameOf(word)
    if (READS_AGAIN.test(name)) return word
    const interpreter = INTERPRETERS.find(({ program }) => program.test(name))
    if (interpreter === undefined) continue
    const { option, end } = optionsOf(interpreter, before.slice(index + 1))
    const begun = words.at(-1)!
    if (option !== null) return `${word} ${option}`
    if (!end && interpreter.option.test(begun)) return `${word} ${begun}`
  }
  return null
}

/** `end`: what follows is no option of it any more. `option`: the word that follows is a command. */
function optionsOf(
  { option, hasWordsBefore }: Interpreter,
  words: readonly string[],
): { readonly option: string | null; readonly end: boolean } {
  let found: string | null = null
  let previous = ''
  for (const word of words) {
    if (option.test(word)) found = word
    else if (!/^[-+]/.test(word) && !TAKES_WORD.test(previous)) {
      if (found === null && hasWordsBefore === undefined) return { option: null, end: true }
      found = null
    }
    previous = word
  }
  return { option: found, end: false }
}

/** The program of a command that reads its input as commands; null: none does. */
function readsInput(words: readonly string[]): string | null {
  const before = withoutRedirections(words)
  for (const [index, word] of before.entries()) {
    const name = nameOf(word)
    const rest = before.slice(index + 1)
    if (name === 'ssh') return word
    if (name === 'xargs' && rest.some((one) => SHELL.program.test(nameOf(one)))) return word
    const interpreter = LANGUAGES.find(({ program }) => program.test(name))
    if (interpreter === undefined) continue
    const file = rest.findIndex((one, at) => !/^[-+]/.test(one) && !TAKES_WORD.test(rest[at - 1] ?? ''))
    const options = file === -1 ? rest : rest.slice(0, file)
    if (options.some((one) => interpreter.option.test(one))) continue
    const isInput = file === -1 || /^\/dev\/(?:stdin|fd\/0)$/.test(rest[file]!)
    if (isInput || (interpreter === SHELL && options.some((one) => /^-[A-Za-z]*s/.test(one)))) return word
  }
  return null
}

/** `2>/dev/null`, and `> out` with its word; the words that are left are not empty. */
function withoutRedirections(words: readonly string[]): readonly string[] {
  const given = words.filter((word) => word !== '')
  return given.filter((word, at) => !/^\d*[<>]/.test(word) && !/^\d*[<>]+[&|]?$/.test(given[at - 1] ?? ''))
}

/** `/bin/bash` is `bash`. */
function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}
