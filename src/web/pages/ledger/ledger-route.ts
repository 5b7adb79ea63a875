import type { Hono } from 'hono'
import { parseRepositoryAddress } from '../../../report/report-address.ts'
import { ENTRY_ROUTE, LEDGER_ROUTE } from '../../../report/urls.ts'
import type { Site } from '../site.ts'
import { parseEntryAddress } from './entry-address.ts'
import { entryPage } from './entry-page.ts'
import { entryJson, entryTsv, ledgerJson, ledgerTsv } from './ledger-data.ts'
import { ledgerPage } from './ledger-page.ts'
import { ENTRIES_PER_PAGE, MOST_ENTRIES, parseLedgerView } from './ledger-view.ts'

/** The ledger of a repository, and each of its entries. */
export function ledgerRoutes(
  app: Hono,
  { access, answers, store, timelineOf, githubUrl, publicUrl, version }: Site,
): void {
  app.get(LEDGER_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || repository === null) return answers.notFound(context)
    const view = parseLedgerView(new URL(context.req.url).searchParams)
    const onPage = () => store.findEntries(repository.id, { ...view, perPage: ENTRIES_PER_PAGE })
    const all = () => store.findEntries(repository.id, { ...view, page: 1, perPage: MOST_ENTRIES })
    return answers.inFormat(context, {
      html: async () =>
        await ledgerPage({ address, repositoryId: repository.id, view, found: await onPage(), publicUrl, version }),
      json: async () => ledgerJson(address, view, await all()),
      tsv: async () => ledgerTsv((await all()).entries),
    })
  })

  app.get(ENTRY_ROUTE, async (context) => {
    const address = parseEntryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    const entry = address === null || repository === null ? null : await store.entryOf(repository.id, address.entryId)
    if (address === null || repository === null || entry === null) return answers.notFound(context)
    const { owner, repo } = address
    const timeline = await timelineOf({ id: repository.id, owner, repo }, entry)
    return answers.inFormat(context, {
      html: () =>
        entryPage({
          address: { owner, repo },
          repositoryId: repository.id,
          entry,
          timeline,
          githubUrl,
          publicUrl,
          version,
        }),
      json: () => entryJson({ owner, repo }, entry, timeline),
      tsv: () => entryTsv(timeline),
    })
  })
}
