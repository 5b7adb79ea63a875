import { type Command, InvalidArgumentError, Option } from 'commander'
import { FEWEST_TURNS, MOST_TURNS } from '../measure/plan.ts'
import { PRESETS } from '../measure/presets.ts'
import { examples } from './command.ts'
import { BUDGET, parseDuration, parseName } from './option-values.ts'

/** The description, options and examples of `perf-triage measure`. */
export function define(command: Command): void {
  command
    .description(
      `Measures two builds in turns, each a fresh process, in random order, and writes one folder that classify, comment and the bot can read. A turn is one repetition. It ends when each benchmark is precise enough or the budget is used up, after ${FEWEST_TURNS} to ${MOST_TURNS} turns.`,
    )
    .option(
      '--base <ref|dir|cmd>',
      'what to compare with (default: where the head branched off the target branch)',
      parseName,
    )
    .option('--head <ref|dir|cmd>', 'what to measure (default: HEAD)', parseName)
    .option('--build <cmd>', 'builds each side, in its own worktree', parseName)
    .option('--run <cmd>', 'runs all benchmarks once and prints the results, or writes them to {out}', parseName)
    .option('--filter <template>', 'how --run measures only some: {regex} or {names}; replaces {filter}', parseName)
  for (const { flags, words } of Object.values(PRESETS)) command.option(flags, words)
  command
    .option('--directory <folder>', 'build and run in this folder of each side (default: this one)', parseName)
    .requiredOption('-o, --output <folder>', 'where the results go: an empty or new folder', parseName)
    .addOption(
      new Option('--budget <time>', 'how long the turns may take, such as 90s, 10m or 1h')
        .argParser(parseDuration)
        .default(parseDuration(BUDGET), BUDGET),
    )
    .addOption(
      new Option('--show <percent>', 'the change to detect: noise below it is precise enough')
        .argParser(parseShow)
        .default(0.05, '5%'),
    )
    .option('--turn-limit <time>', 'how long one process may take (default: the budget)', parseDuration)
    .addOption(
      new Option('--build-limit <time>', 'how long a build may take')
        .argParser(parseDuration)
        .default(parseDuration('30m'), '30m'),
    )
    .option('--no-a-a', 'don’t measure a copy of the base')
    .option('--seed <number>', 'the order within the turns (default: random)', parseSeed)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['measure --go ./sort --budget 5m -o results/', 'HEAD against its merge base with the target branch'],
        ['measure --base v1.2 --head . --build make --run ./bench -o results/', 'a release against this folder'],
        ["measure --run 'node b.js {filter}' --filter '--only {names}' -o results/", 'a tool of your own'],
        ["measure --base './old 1e6' --head './new 1e6' -o results/", 'two programs that print results'],
        ["measure --hyperfine '-w 1 -r 3 ./run.sh' --build make -o results/", 'whole programs'],
        ['classify results/', 'what it shows'],
      ),
    )
}

/** `5%` or `0.05`; a fraction. */
function parseShow(text: string): number {
  const [, number, sign] = /^\s*(\d+(?:\.\d+)?)\s*(%)?\s*$/.exec(text) ?? []
  const fraction = Number(number) / (sign === undefined ? 1 : 100)
  if (!(fraction > 0 && fraction <= 1)) throw new InvalidArgumentError('It must be a share such as 5% or 0.05.')
  return fraction
}

function parseSeed(text: string): number {
  const seed = Number(text)
  if (!/^\d{1,10}$/.test(text) || seed >= 2 ** 32)
    throw new InvalidArgumentError(`It must be a number below ${2 ** 32}.`)
  return seed
}
