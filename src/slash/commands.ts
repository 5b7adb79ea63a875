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

const OTHERS: readonly Command[] = [
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
]

/** Every command, as `help` lists them. */
export const COMMANDS: readonly Command[] = [...OTHERS, helpOn(OTHERS)]
