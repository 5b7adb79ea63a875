import { type Command } from 'commander'
import { TRACE_TYPES, UNITS } from '../../intake/measurement/trace-type.ts'
import { examples } from './command.ts'
import { choiceOption, parseName, parseQueryIndex } from './option-values.ts'

/** The description, options and examples of `perf-triage flamegraph`. */
export function define(command: Command): void {
  command
    .description(
      'Compares two profiles (folded stacks, or pprof), or both sides of one query of a run: the frames whose share changed most, a differential flame graph, the difference of the stacks, or both profiles for speedscope.',
    )
    .argument(
      '[old]',
      'the old build: folded stacks, one "frame;frame;frame COUNT" per line, or a pprof profile; - is stdin',
    )
    .argument('[new]', 'the same for the new build; an empty file if there are no stacks')
    .option('--run <path>', 'instead, the stacks of one query of a run: a folder or an archive', parseName)
    .option('--test <name>', 'the test of that query', parseName)
    .option('--query <number>', 'the position of that query in the test', parseQueryIndex)
    .addOption(choiceOption('--trace <type>', 'what was sampled (default: the first one found)', TRACE_TYPES))
    .addOption(
      choiceOption(
        '--as <output>',
        'folded is FRAMES OLD NEW, as difffolded.pl prints; json is for speedscope',
        OUTPUTS,
      ).default('text'),
    )
    .option('--normalize', 'scale the old side to the new side’s sum, to compare shares, not counts')
    .option('--strip-hex', 'write 0x... for addresses in frame names')
    .option('--fractions', 'keep fractions of counts in folded output')
    .option('--icicle', 'draw the outermost frames at the top')
    .addOption(choiceOption('--unit <name>', 'what the counts are (default: samples)', UNITS))
    .option('--title <text>', 'the heading of the graph')
    .addHelpText(
      'after',
      examples(
        ['flamegraph old.folded new.folded', 'the five frames whose share changed most'],
        ['flamegraph old.folded new.folded --as svg > difference.svg', 'a graph to open in a browser'],
        ['flamegraph old.pprof new.pprof', 'what go test -cpuprofile writes, or any other pprof profile'],
        ['flamegraph old.folded new.folded --as svg --normalize > difference.svg', 'of shares, not of counts'],
        ['flamegraph old.folded new.folded --as folded --normalize', 'what difffolded.pl -n prints'],
        ['flamegraph old.folded new.folded --as json > both.speedscope.json', 'for speedscope'],
        ['flamegraph --run logs.tar.zst --test sum --query 3', 'one query of a performance run'],
      ),
    )
}

export const OUTPUTS = ['text', 'svg', 'folded', 'json'] as const

export type FlamegraphOutput = (typeof OUTPUTS)[number]
