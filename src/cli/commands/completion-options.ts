import { Argument, type Command } from 'commander'
import { examples } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The description, arguments and examples of `perf-triage completion`. */
export function define(command: Command): void {
  command
    .description('Prints a script that completes commands, options and their choices. Print it again after an update.')
    .addArgument(new Argument('<shell>', 'where it is used').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        ['completion bash > ~/.local/share/bash-completion/completions/perf-triage', 'bash, with bash-completion'],
        ['completion zsh > ~/.zfunc/_perf-triage', 'zsh, with fpath+=~/.zfunc before compinit'],
        ['completion fish > ~/.config/fish/completions/perf-triage.fish', 'fish'],
      ) + '\n\nTo try it in bash: source <(perf-triage completion bash)',
    )
}
