import { createOAuth, type OAuth } from '../../github/oauth.ts'
import { SIGN_IN_CALLBACK_PATH } from '../../report/urls.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts'

/** Signing in with GitHub: who is, who is about to, and GitHub's part in it. */
export interface SignIn {
  readonly sessions: Sessions
  readonly attempts: SignInAttempts
  readonly oauth: OAuth
}

export interface SignInOptions {
  readonly clientId: string
  readonly clientSecret: string
  readonly githubUrl: string
  readonly githubApiUrl: string
  /** Where the bot is reached from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly now: () => number
}

export function createSignIn({ publicUrl, now, ...github }: SignInOptions): SignIn {
  return {
    sessions: createSessions(github.clientSecret, publicUrl, now),
    attempts: createSignInAttempts(github.clientSecret, publicUrl, now),
    oauth: createOAuth({ ...github, callbackUrl: `${publicUrl}${SIGN_IN_CALLBACK_PATH}` }),
  }
}
