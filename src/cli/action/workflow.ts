import { appendFile } from 'node:fs/promises'
import type { CommandIO } from '../commands/command.ts'

/** The Action's side of the talk with GitHub's runner: inputs, annotations, the job summary. */

/** An input of `action.yml`; null: none, or an empty one. */
export function inputOf(name: string, env: CommandIO['env']): string | null {
  const text = env[`INPUT_${name.toUpperCase()}`]?.trim() ?? ''
  return text === '' ? null : text
}

/** Shows an error on the page of the run. */
export function annotate(title: string, message: string, io: CommandIO): void {
  io.stdout.write(
    `::error title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(message)}\n`,
  )
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Adds to the job summary; outside of a job to what is printed. */
export async function summarize(markdown: string, io: Pick<CommandIO, 'env' | 'stdout'>): Promise<void> {
  const path = io.env['GITHUB_STEP_SUMMARY']
  if (path === undefined || path === '') io.stdout.write(`${markdown}\n`)
  else await appendFile(path, `${markdown}\n`)
}
