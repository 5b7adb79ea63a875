/**
 * How a check ended, where its status does not say it: by GitHub's conclusion the sentence that the bot keeps as the first
 * line of what was said. It says that the check ended, not what was wrong.
 */
export const CHECK_ENDINGS: Readonly<Record<string, string>> = {
  timed_out: 'The check timed out.',
  startup_failure: 'The check could not be started.',
  action_required: 'The check waits for somebody to do something.',
  cancelled: 'The check was cancelled.',
  stale: 'GitHub gave up waiting for the check.',
}
