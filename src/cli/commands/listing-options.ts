import type { Command, Option } from 'commander'
import { examples } from './command.ts'
import { asOption, daysUpTo, parseRepository, REPOSITORY_FLAGS } from './option-values.ts'

/** The help of a command that lists what is stored, such as `queue`. */
interface ListingHelp {
  readonly description: string
  /** How far back it looks; absent: there is no such option. */
  readonly days?: { readonly most: number; readonly initial: number }
  /** Whose entries it lists where no repository is named. */
  readonly ofAll?: string
  /** The options that it has beside those of all. */
  readonly options?: readonly Option[]
  /** The forms of `--as` that it has beside those of all. */
  readonly forms?: readonly string[]
  readonly examples: readonly (readonly [command: string, meaning: string])[]
}

/** Adds the description, options and examples of a listing. */
export function defineListing(command: Command, help: ListingHelp): void {
  const { description, days, ofAll = 'all that have reports', options = [], forms, examples: lines } = help
  command.description(description)
  if (days !== undefined)
    command.option('--days <number>', `how far back to look (at most ${days.most})`, daysUpTo(days.most), days.initial)
  command.option(REPOSITORY_FLAGS, `only of this repository (default: ${ofAll})`, parseRepository)
  for (const option of [...options, asOption('list', forms)]) command.addOption(option)
  command.option('--json', 'print one JSON document').addHelpText('after', examples(...lines))
}
