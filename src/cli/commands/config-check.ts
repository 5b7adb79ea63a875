import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_PATH } from '../../config/config-path.ts'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import { counted } from '../../text/numbers.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, InputError, printJson } from './command.ts'
import { plainText } from './terminal-text.ts'

/** `perf-triage config check`: nothing is sent anywhere. */
export async function run(given: string, { json }: { readonly json?: boolean }, io: CommandIO): Promise<number> {
  const isFolder = await stat(given).then(
    (found) => found.isDirectory(),
    () => false,
  )
  const file = isFolder ? join(given, CONFIG_PATH) : given
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
