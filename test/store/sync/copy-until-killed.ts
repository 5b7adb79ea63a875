import { writeSync } from 'node:fs'
import { openClickHouse } from '../../../src/store/client.ts'
import { ExternalDatabase } from '../../../src/store/external-database.ts'
import { type HistoryCopies, historyCopies } from '../../../src/store/history/history-copies.ts'
import { copyHistory } from '../../../src/store/sync/copy-history.ts'
import { SourceTable } from '../../../src/store/sync/source-table.ts'

// Run by copy-history.engine.test.ts: copies raw runs, says when the rows of the third page are stored, and waits to be killed.
interface Given {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly now: number
}
const { url, user, password, database, now } = JSON.parse(process.argv[2]!) as Given
const copies = historyCopies(await openClickHouse({ url, user, password, database, dataDir: '' }))
const ci = new ExternalDatabase({ url, user, password, called: 'the CI database' })
let pages = 0
const halting: HistoryCopies = {
  ...copies,
  async saveRows(...given) {
    const rows = await copies.saveRows(...given)
    pages += 1
    if (pages < 3) return rows
    writeSync(1, 'stored\n')
    setInterval(() => {}, 60_000)
    return await new Promise<number>(() => {})
  },
}
const source = SourceTable.ofRawRuns(ci, `${database}.repetitions`)
const copy = { repositoryId: 1, source, metric: 'client_time', trunk: ['master'], days: 40 }
for await (const _ of copyHistory(halting, copy, null, () => now));
