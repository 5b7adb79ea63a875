import { type Command, Help, type Option } from 'commander'
import type { Shell } from './completion-options.ts'

/** Scripts that complete the command line. They hold every word themselves: no key starts a program. */

/** The script of a shell for a program whose commands have all their options. */
export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](program.name(), completedCommands(program))
}

interface CompletedCommand {
  /** Its words behind the name of the program; none: the program itself. */
  readonly path: readonly string[]
  readonly summary: string
  readonly options: readonly Option[]
  /** Of the next word: names of commands, or choices of the first argument. */
  readonly words: readonly { readonly word: string; readonly summary: string }[]
  /** Its arguments may be files. */
  readonly takesFiles: boolean
}

const HELP = new Help()

/** A command and those below it, as its help shows them. */
function completedCommands(command: Command, path: readonly string[] = []): CompletedCommand[] {
  const commands = HELP.visibleCommands(command)
  const [argument] = command.registeredArguments
  const choices = commands.length > 0 ? [] : (argument?.argChoices ?? [])
  const own = {
    path,
    summary: command.summary(),
    options: HELP.visibleOptions(command),
    words: [
      ...commands.map((one) => ({ word: one.name(), summary: one.summary() || one.description() })),
      ...choices.map((word) => ({ word, summary: '' })),
    ],
    takesFiles: commands.length === 0 && choices.length === 0 && argument !== undefined,
  }
  return [own, ...command.commands.flatMap((one) => completedCommands(one, [...path, one.name()]))]
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined)
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/** A text between single quotes, without line ends. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function bashScript(name: string, commands: readonly CompletedCommand[]): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')))
  const valuesOf = ({ path, options }: CompletedCommand) =>
    options.filter(takesValue).map((option) => {
      const flags = flagsOf(option).map((flag) => quoted([...path, flag].join(' ')))
      return `    ${flags.join('|')}) words=${quoted((option.argChoices ?? []).join(' '))}; isValue=1 ;;`
    })
  const wordsOf = ({ path, options, words }: CompletedCommand) => {
    const flags = options.flatMap(flagsOf).join(' ')
    return `      ${quoted(path.join(' '))}) flags=${quoted(flags)}; words=${quoted(words.map(({ word }) => word).join(' '))} ;;`
  }
  return `# bash completion of ${name}
_perf_triage() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= flags= words= isValue= i
  # --as=table is three words
  if [[ $cur == '=' ]]; then cur=; elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for (( i = 1; i < COMP_CWORD; i++ )); do
    case "\${path:+$path }\${COMP_WORDS[i]}" in
      ${paths.join('|')}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "\${path:+$path }$prev" in
${commands.flatMap(valuesOf).join('\n')}
  esac
  if [[ -z $isValue ]]; then
    case "$path" in
${commands.map(wordsOf).join('\n')}
    esac
    [[ $cur == -* ]] && words=$flags
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}
complete -o default -F _perf_triage ${name}
`
}

function zshScript(name: string, commands: readonly CompletedCommand[]): string {
  return `#compdef ${name}

${commands.toReversed().map(zshFunction).join('\n')}
if [[ $funcstack[1] == _perf-triage ]]; then _perf_triage "$@"; else compdef _perf_triage ${name}; fi
`
}

function zshName(path: readonly string[]): string {
  return ['_perf_triage', ...path].join('_').replaceAll('-', '_')
}

function zshFunction({ path, options, words, takesFiles }: CompletedCommand): string {
  const specs = options.map(zshOption)
  const isGroup = words.some(({ summary }) => summary !== '')
  const rest = isGroup
    ? [`'1: :->command'`, `'*:: :->rest'`]
    : words.length > 0
      ? [`'1:word:(${words.map(({ word }) => word).join(' ')})'`]
      : takesFiles
        ? [`'*:file:_files'`]
        : []
  const described = words.map(({ word, summary }) => `    ${quoted(`${word}:${summary}`)}`)
  const cases = words.map(
    ({ word }) => `      ${word}) (( $+functions[${zshName([...path, word])}] )) && ${zshName([...path, word])} ;;`,
  )
  return `${zshName(path)}() {
  local curcontext="$curcontext" state line
  local -a commands
  _arguments -C \\
    ${[...specs, ...rest].join(' \\\n    ')}
${
  isGroup
    ? `  commands=(
${described.join('\n')}
  )
  case $state in
    command) _describe command commands ;;
    rest) case $line[1] in
${cases.join('\n')}
    esac ;;
  esac
`
    : ''
}}
`
}

/** `'*--kind[only of this kind]:value:(red-check trunk-step)'` for each flag of an option. */
function zshOption(option: Option): string {
  const words = option.description.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`)
  const files = option.argChoices === undefined ? '_files' : `(${option.argChoices.join(' ')})`
  const value = takesValue(option) ? `:value:${files}` : ''
  return flagsOf(option)
    .map((flag) => quoted(`*${flag}[${words}]${value}`))
    .join(' ')
}

function fishScript(name: string, commands: readonly CompletedCommand[]): string {
  return `# fish completion of ${name}
${commands.flatMap((command) => fishLines(name, command, commands)).join('\n')}
`
}

function fishLines(name: string, command: CompletedCommand, commands: readonly CompletedCommand[]): string[] {
  const { path, options, words, takesFiles } = command
  const below = commands.filter(
    (one) => one.path.length === path.length + 1 && one.path.join(' ').startsWith(path.join(' ')),
  )
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`)
  const isHere = seen.join('; and ')
  const notBelow = below.map((one) => one.path.at(-1)!).join(' ')
  const isNext = [
    ...(path.length === 0 ? ['__fish_use_subcommand'] : seen),
    ...(path.length === 0 || notBelow === '' ? [] : [`not __fish_seen_subcommand_from ${notBelow}`]),
  ].join('; and ')
  const complete = `complete -c ${name}`
  return [
    ...words.map(({ word, summary }) => `${complete} -f -n ${quoted(isNext)} -a ${quoted(word)}${fishWords(summary)}`),
    ...(takesFiles || words.length > 0 ? [] : [`${complete} -f -n ${quoted(isHere)}`]),
    ...options.map(
      (option) => `${complete} -n ${quoted(path.length === 0 ? '__fish_use_subcommand' : isHere)}${fishOption(option)}`,
    ),
  ]
}

/** ` -s h -l help -d 'show this help'`, ` -l as -x -a 'table tsv'` */
function fishOption(option: Option): string {
  const { short, long, argChoices, description } = option
  const value = argChoices === undefined ? ' -r -F' : ` -x -a ${quoted(argChoices.join(' '))}`
  return [
    short === undefined ? '' : ` -s ${short.slice(1)}`,
    long === undefined ? '' : ` -l ${long.slice(2)}`,
    takesValue(option) ? value : '',
    fishWords(description),
  ].join('')
}

function fishWords(text: string): string {
  return text === '' ? '' : ` -d ${quoted(text)}`
}

const SCRIPTS: Readonly<Record<Shell, (name: string, commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}
