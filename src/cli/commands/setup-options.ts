import { type Command, InvalidArgumentError } from 'commander'
import { examples } from './command.ts'
import { BUDGET, parseDuration, parseName } from './option-values.ts'

/** The description, options and examples of `perf-triage setup`. */
export function define(command: Command): void {
  command
    .description(
      'Registers the GitHub App in your browser and writes the environment file with its keys, which only you can read. You can start over at any time: existing values are kept. With --action, it writes workflows instead, which need no server.',
    )
    // Node takes an --env-file as its own, wherever it stands, and ends where the file is not there yet.
    .option('--file <file>', 'the environment file', 'perf-triage.env')
    .option('--public-url <url>', 'the address where GitHub and people reach the bot (default: PUBLIC_URL)')
    .option('--organization <name>', 'the organization that owns the App (default: you)', parseOrganization)
    .option('--name <name>', 'the name of the App, unique on all of GitHub (default: perf-triage)')
    .option('--host <address>', 'the address that the page listens on; in a container, 0.0.0.0', LOOPBACK)
    .option('--port <number>', 'the port of the page on this machine; 0: a free one', parsePort, 0)
    .option('--action', 'write workflows that measure, judge and comment without a server')
    .option('--directory <folder>', 'with --action: a folder of the repository (default: this one)', parseName)
    .option('--measure <arguments>', 'with --action: what to measure, as arguments of "perf-triage measure"', parseName)
    .option('--budget <time>', `with --action: how long the turns may take (default: ${BUDGET})`, parseBudget)
    .option('--uses <action>', `with --action: the Action, such as a fork (default: ${ACTION})`, parseAction)
    .option('--remove', 'with --action: remove those files again')
    .option('--yes', 'with --action: replace or remove files without asking')
    .addHelpText(
      'after',
      examples(
        ['setup --public-url https://perf.example.org', 'on github.com'],
        ['setup --public-url https://perf.example.org --organization acme', 'owned by an organization'],
        ['setup --action', 'without a server, in the repository'],
        [`setup --action --measure "--run './bench --json {out}'"`, 'with a command of your own'],
        ['setup --host 0.0.0.0 --port 8080 --public-url …', 'in a container: docker run -p 127.0.0.1:8080:8080'],
      ) +
        '\n\nFor GitHub Enterprise Server, set GITHUB_URL first: GITHUB_URL=https://github.example.org perf-triage setup …',
    )
}

export const LOOPBACK = '127.0.0.1'

function parseOrganization(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(text))
    throw new InvalidArgumentError('It must be the login of an organization.')
  return text
}

/** As it was written: for a person who reads the file. */
function parseBudget(text: string): string {
  parseDuration(text)
  return text.trim()
}

/** Where the Action will be published. */
export const ACTION = 'perf-triage/perf-triage@v1'

function parseAction(text: string): string {
  if (!/^[\w.-]+\/[\w.-]+(?:\/[\w.-]+)*@[\w./-]+$/.test(text))
    throw new InvalidArgumentError('It must be OWNER/REPOSITORY@REF.')
  return text
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return port
}
