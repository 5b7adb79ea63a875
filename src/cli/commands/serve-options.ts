import { type Command, InvalidArgumentError, Option } from 'commander'
import { ROLES } from '../../config/process-roles.ts'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage serve`. */
export function define(command: Command): void {
  command
    .description('Runs the bot: webhooks, triage and pages. Configured by the environment, see docs/operations.md.')
    .option('--port <number>', 'the port to listen on; overrides PORT', parsePort)
    .option('--host <address>', 'the address to listen on; overrides HOST')
    .addOption(
      new Option(
        '--role <role>',
        'web receives webhooks and serves pages, worker does the work; overrides PERF_TRIAGE_ROLE',
      ).choices(ROLES),
    )
    .addHelpText(
      'after',
      examples(['serve', 'with everything from the environment'], ['serve --port 3000', 'on another port than PORT']),
    )
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return port
}
