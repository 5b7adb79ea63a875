import type { Command } from 'commander'
import { examples } from './command.ts'
import { asOption } from './option-values.ts'

/** The description, options and examples of `perf-triage history list`. */
export function define(command: Command): void {
  command
    .description(
      'Lists the main branch’s stored history: repositories, metrics, architectures, queries, runs and days.',
    )
    .addOption(asOption('list'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['history list', 'what was imported, and what the bot read itself']))
}
