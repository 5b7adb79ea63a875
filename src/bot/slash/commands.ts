import type { CommandName } from '../../config/repository-config.ts'
import { closestName } from '../../text/closest-name.ts'
import type { Command } from './command.ts'
import { accept } from './commands/accept.ts'
import { bisect } from './commands/bisect.ts'
import { chronic, renew, unchronic } from './commands/chronic.ts'
import { explain } from './commands/explain.ts'
import { helpOn } from './commands/help.ts'
import { ignore, unignore } from './commands/ignore.ts'
import { mute, unmute } from './commands/mute.ts'
import { refresh } from './commands/refresh.ts'
import { rerun } from './commands/rerun.ts'
import { unaccept } from './commands/unaccept.ts'
import type { Word } from './comment-commands.ts'

/** In the order of `help`. */
const OTHERS: readonly Command[] = Object.values({
  accept,
  unaccept,
  ignore,
  unignore,
  chronic,
  unchronic,
  renew,
  mute,
  unmute,
  rerun,
  refresh,
  explain,
  bisect,
} satisfies Readonly<Record<Exclude<CommandName, 'help'>, Command>>)

/** Every command, as `help` lists them. */
export const COMMANDS: readonly Command[] = [...OTHERS, helpOn(OTHERS)]

/** The bare prefix asks for help. */
export function commandOf(name: Word | undefined): Command | null {
  return COMMANDS.find((command) => command.name === (name?.text.toLowerCase() ?? 'help')) ?? null
}

/** The name of the command that was probably meant; null: none is near. */
export function closestCommand(name: string): string | null {
  return closestName(
    name,
    COMMANDS.map((command) => command.name),
  )
}
