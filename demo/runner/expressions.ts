import { data, Evaluator, Lexer, Parser } from '@actions/expressions'

/** The state of a job so far, for `success()` and its kin. */
export type StatusOfJob = 'success' | 'failure' | 'cancelled' | 'skipped'

/** The contexts, plain JSON: `github`, `env`, `steps` and so on. */
export type Contexts = Readonly<Record<string, unknown>>

/** The value of one expression, without its `${{ }}`. */
export function evaluate(expression: string, contexts: Contexts, status: StatusOfJob = 'success'): unknown {
  const functions = statusFunctions(status)
  const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse()
  const dictionary = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
  const byName = new Map(functions.map((one) => [one.name, one]))
  const value = new Evaluator(parsed, dictionary, byName).evaluate()
  return JSON.parse(JSON.stringify(value, data.replacer) ?? 'null') as unknown
}

/** Whether an `if` holds: what is empty, zero or null doesn't. */
export function holds(expression: string, contexts: Contexts, status: StatusOfJob): boolean {
  return Boolean(evaluate(expression, contexts, status))
}

/** An expression stands between the marks; two quotes in a row are one inside its texts. */
const marked = /\$\{\{((?:'[^']*'|[^'}]|\}(?!\}))*)\}\}/g

/** A text with its expressions replaced by what they are: GitHub does so before any shell sees the line. */
export function filledIn(text: string, contexts: Contexts, status: StatusOfJob = 'success'): string {
  return text.replace(marked, (_, expression: string) => textOf(evaluate(expression.trim(), contexts, status)))
}

export function allFilledIn(texts: Readonly<Record<string, string>>, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filledIn(text, contexts)]))
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return 'Array'
  return typeof value === 'object' ? (value === null ? '' : 'Object') : `${value as string | number | boolean}`
}

function statusFunctions(status: StatusOfJob) {
  const answers = {
    success: status === 'success',
    failure: status === 'failure',
    cancelled: status === 'cancelled',
    always: true,
  }
  return Object.entries(answers).map(([name, answer]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answer),
  }))
}
