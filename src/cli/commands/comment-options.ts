import { type Command } from 'commander'
import { FORMAT_NAMES } from '../../intake/measurement/formats/format-names.ts'
import { examples } from './command.ts'
import {
  QUERY_LOG,
  VARIANT_FLAGS,
  VARIANT_WORDS,
  withAgainstOptions,
  withQueryLogOptions,
  withRunOptions,
} from './run-options.ts'

/** The description, options and examples of `perf-triage comment`. */
export function define(command: Command): void {
  withAgainstOptions(withQueryLogOptions(withRunOptions(command, [...FORMAT_NAMES, QUERY_LOG])))
    .description('Reads one run and prints the Markdown of the comment that the bot would post for it.')
    .option('--architecture <name>', 'the architecture of the run, if the measurements don’t state it')
    .option(VARIANT_FLAGS, VARIANT_WORDS)
    .option('--html', 'print a self-contained HTML page instead of Markdown')
    .addHelpText(
      'after',
      examples(
        ['comment results/', 'the comment as Markdown'],
        ['comment results/ --architecture arm', 'with the architecture in its table'],
        ['comment results/ --html > results.html', 'a page for a browser, in one file'],
        [
          'comment --new job-1.txt job-2.txt --against history',
          'two jobs of the head, judged by the stored main branch',
        ],
        ['comment --variant 8K=a.json --variant 128K=b.json --variant 1M=c.json', 'each against the first'],
        [
          'comment log.jsonl --format query-log --side tables=db.old,db.new --html > log.html',
          'the page of a query log',
        ],
      ),
    )
}
