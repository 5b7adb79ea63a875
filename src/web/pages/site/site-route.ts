import type { Hono } from 'hono'
import { INDEX_PATH, WORDS_PATH } from '../../../report/urls.ts'
import { ASSETS } from '../../assets/assets.ts'
import { IMMUTABLE_CACHE, PUBLIC_CACHE } from '../../kit/answers.ts'
import type { Site } from '../site.ts'
import { indexPage } from './index-page.ts'
import { wordsPage } from './words-page.ts'

/** What belongs to no repository: what the bot is, what the words mean, and the files that pages are made with. */
export function siteRoutes(app: Hono, { answers, signIn, version }: Site): void {
  app.get(INDEX_PATH, (context) => answers.page(context, indexPage(version, signIn !== null), PUBLIC_CACHE))
  app.get(WORDS_PATH, (context) => answers.page(context, wordsPage(version), PUBLIC_CACHE))
  for (const { path, type, content } of ASSETS) {
    app.get(path, (context) => answers.text(context, content, type, IMMUTABLE_CACHE))
  }
}
