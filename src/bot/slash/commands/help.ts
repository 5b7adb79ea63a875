import type { RepositoryConfig, Role } from '../../../config/repository-config.ts'
import type { Command } from '../command.ts'

/** `/perf help`, and the table of all commands with the roles that they need. */

const WHO: Readonly<Record<Role, string>> = {
  everybody: 'everybody',
  author: 'the author of the pull request, and people with the role `triage`',
  triage: 'people with the role `triage`',
  write: 'people with the role `write`',
  maintain: 'people with the role `maintain`',
  admin: 'people with the role `admin`',
}

/** For whoever does not know what can be said here. The person sees the table of all commands, in a reply. */
export function helpOn(others: readonly Command[]): Command {
  const help: Command = {
    name: 'help',
    usage: 'help',
    who: 'everybody',
    isQuestion: true,
    summary: 'Lists these commands.',
    run: ({ config, lacks }) => ({
      wasDone: true,
      words: commandTable(
        [...others, help].filter(({ name }) => (lacks?.(name) ?? null) === null),
        config,
      ),
    }),
  }
  return help
}

/** The commands as a table in Markdown: the same in the reply and, by the default configuration, in `docs/commands.md`. */
export function commandTable(commands: readonly Command[], config: RepositoryConfig): string {
  const rows = commands.map((command) => {
    const { usage, summary } = command
    return `| \`${config.commands.prefix} ${usage.replaceAll('|', '\\|')}\` | ${whoWords(roleFor(command, config))} | ${summary} |`
  })
  return ['| command | who | what it does |', '|---|---|---|', ...rows].join('\n')
}

/** The role that a command needs in a repository. */
export function roleFor({ name, who }: Command, { commands, acknowledge }: RepositoryConfig): Role {
  return commands.who[name] ?? (who === 'acknowledge' ? acknowledge : who)
}

export function whoWords(role: Role): string {
  return WHO[role]
}
