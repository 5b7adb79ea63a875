import { Command } from 'commander'
import { splitWords } from '../../text/split-words.ts'
import { InputError } from './command.ts'
import type { MeasureOptions } from './measure.ts'
import { define } from './measure-options.ts'

/** The arguments of `perf-triage measure` as one text, as a workflow file has them. */

/** Throws `InputError` or `CommanderError`. */
export function measureOptionsOf(text: string, output: string): MeasureOptions {
  const words = splitWords(text)
  if (words === null) throw new InputError('measure: a quote is not closed')
  return parsed(define, ['-o', output, ...words]).opts<MeasureOptions>()
}

/** Throws `CommanderError`. */
export function parsed(define: (command: Command) => unknown, words: readonly string[]): Command {
  const command = new Command().exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
  define(command)
  return command.parse(words, { from: 'user' })
}
