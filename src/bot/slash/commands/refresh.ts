import type { Command } from '../command.ts'

/**
 * For whoever has fixed something outside of the repository: an artifact that was uploaded late, a database that is back. The
 * person sees a thumbs up, and comment and check run as they should stand now.
 */
export const refresh: Command = {
  name: 'refresh',
  usage: 'refresh',
  who: 'author',
  summary: 'Looks again now: reads checks and results again, and updates the comment and the check run.',
  run: () => ({ wasDone: true, words: null, looksAgain: 'anew' }),
}
