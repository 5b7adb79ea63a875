import type { Role } from '../../config/repository-config.ts'
import { PERMISSIONS, type Permission, permissionOf } from '../../github/people.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { type Answer, refused } from './command.ts'
import { roleFor, whoWords } from './commands/help.ts'
import { closestCommand, commandOf } from './commands.ts'
import type { CommandLine } from './comment-commands.ts'
import type { Hearing, Saying } from './saying.ts'

/** What somebody does about a label that is not where its effect is; the bot removes the one of `rerun` by itself. */
const LABEL_STAYS = {
  set: ' Remove the label first, so that one of them can set it.',
  removed: ' What the label did still applies.',
}

/** Why a person may not give this command, in words; null: they may. `permissions`: what GitHub has said of a person already. */
export async function refusalOf(
  { octokit, config, lacks }: Hearing,
  { owner, repo, author, by, via }: Saying,
  pullRequest: PullRequest,
  { words: [name] }: CommandLine,
  permissions: Map<number, Permission>,
): Promise<Answer | null> {
  const command = commandOf(name)
  if (command === null) {
    const near = closestCommand(name!.text)
    const meant = near === null ? '' : ` Did you mean \`${near}\`?`
    return refused(`There is no such command.${meant} \`${config.commands.prefix} help\` lists them.`)
  }
  const lacking = lacks?.(command.name) ?? null
  if (lacking !== null) return refused(lacking)
  const role = roleFor(command, config)
  const stays = via === 'label' && command.name !== 'rerun' ? LABEL_STAYS[command.takesBack ? 'removed' : 'set'] : ''
  if (by.isBot) return refused(`A label changed by a bot has no effect: it is for ${whoWords(role)}.${stays}`)
  for (const person of author.id === by.id ? [author] : [author, by]) {
    if (role === 'everybody' || (role === 'author' && person.id === pullRequest.author?.id)) continue
    const permission = permissions.get(person.id) ?? (await permissionOf(octokit, { owner, repo }, person))
    permissions.set(person.id, permission)
    if (isEnough(permission, role)) continue
    const who =
      person.id !== by.id ? 'the author of this comment has' : via === 'command' ? 'you have' : `${by.login} has`
    return refused(`\`${command.name}\` is for ${whoWords(role)}; GitHub says that ${who} \`${permission}\`.${stays}`)
  }
  if (pullRequest.isOpen || command.isQuestion === true) return null
  return refused('This pull request is closed and will not be looked at again.')
}

function isEnough(permission: Permission, role: Exclude<Role, 'everybody'>): boolean {
  const least = role === 'author' ? 'triage' : role
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(least)
}
