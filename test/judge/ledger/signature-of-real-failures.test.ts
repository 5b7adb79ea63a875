import { createReadStream, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOTHING_GIVEN } from '../../../src/intake/imports/checks/given-values.ts'
import { JobTime } from '../../../src/intake/imports/checks/job-time.ts'
import { openCiResults } from '../../../src/intake/imports/checks/read-check-rows.ts'
import { SourceError } from '../../../src/intake/measurement/source.ts'
import { Warnings } from '../../../src/intake/measurement/warnings.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { testOutcome } from '../../../src/judge/ledger/test-status.ts'

const DATA = join(import.meta.dirname, '../../data')

/** Reports of pytest, JUnit, Surefire, Jest, Mocha, Go, PHPUnit, Minitest and Nette, as their projects keep them. */
test('failures of other projects have the signatures that a person would give them', async () => {
  const given = { ...NOTHING_GIVEN, checkName: 'a check', commitSha: 'a commit' }
  const shown: string[] = []
  for (const file of globSync('junit-*/**/*.xml', { cwd: DATA }).toSorted()) {
    const bytes = createReadStream(join(DATA, file))
    const time = new JobTime(0)
    try {
      const opened = await openCiResults(
        { where: file, bytes, modified: 0 },
        { format: 'junit', given, time, warnings: new Warnings(100) },
      )
      for await (const row of opened.rows()) {
        if (testOutcome(row.testStatus) !== 'failing') continue
        const { kind, text } = signatureOf(row.testName, row.testContextRaw)
        shown.push(`${file} · ${row.testName}\n  ${kind} ${JSON.stringify(text)}`)
      }
    } catch (error) {
      bytes.destroy()
      // A document that is none; the reader's own tests say which.
      if (!(error instanceof SourceError)) throw error
    }
  }
  expect(shown.length).toBeGreaterThan(60)
  await expect(shown.join('\n')).toMatchFileSnapshot('../../golden/ledger/junit-signatures.txt')
})
