import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import { counted } from '../../text/numbers.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, examples, type Finished, InputError, printJson } from './command.ts'
import { DEFAULT_PATH } from './lookup-source.ts'
import { plainText } from './terminal-text.ts'

/** The description, options and examples of `perf-triage config check`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Reads a repository’s configuration file and prints every mistake with its line. Exit code 0: the file is valid; 1: it is not; 2: it can’t be read.',
    )
    .argument('[file]', `the file, or a folder with ${DEFAULT_PATH}`, DEFAULT_PATH)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['config check', 'the file of the repository in the current folder'],
        ['config check new.yml --json', 'for a program'],
      ),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      finished(await run(file, options, io))
    })
}

/** `perf-triage config check`: nothing is sent anywhere. */
async function run(given: string, { json }: { readonly json?: boolean }, io: CommandIO): Promise<number> {
  const isFolder = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  )
  const file = isFolder ? join(given, DEFAULT_PATH) : given
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const what = error.code === 'ENOENT' ? 'there is no such file' : error.message
    throw new InputError(`${file}: ${what}; give the path of a configuration file`)
  })
  const { problems } = parseRepositoryConfig(text)
  if (json) printJson({ file, ok: problems.length === 0, problems }, io)
  else if (problems.length === 0) io.stdout.write(`${file}: no mistakes\n`)
  else {
    for (const { line, column, message } of problems)
      io.stdout.write(`${file}:${line}:${column}: ${plainText(message)}\n`)
    io.stderr.write(`perf-triage config check: ${counted(problems.length, 'mistake', 'mistakes')} in ${file}\n`)
  }
  return problems.length === 0 ? EXIT_OK : EXIT_CONDITION
}
