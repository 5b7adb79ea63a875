import { type Command } from 'commander'
import { CONFIG_PATH } from '../../config/config-path.ts'
import { examples } from './command.ts'

/** The description, options and examples of `perf-triage config check`. */
export function define(command: Command): void {
  command
    .description(
      'Reads a repository’s configuration file and prints every mistake with its line. Exit code 0: the file is valid; 1: it is not; 2: it can’t be read.',
    )
    .argument('[file]', `the file, or a folder with ${CONFIG_PATH}`, CONFIG_PATH)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['config check', 'the file of the repository in the current folder'],
        ['config check new.yml --json', 'for a program'],
      ),
    )
}
