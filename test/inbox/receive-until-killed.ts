import { writeSync } from 'node:fs'
import { openInbox } from '../../src/inbox/inbox.ts'

// Run by inbox.test.ts: receives one delivery after the other and prints each GUID once `receive` has returned.
const inbox = await openInbox(process.argv[2]!)
for (let index = 0; ; index += 1) {
  const guid = `${process.pid}-${index}`
  await inbox.deliveries.receive(
    { guid, event: 'push', installationId: 9, payload: JSON.stringify({ guid, text: 'x'.repeat(5000) }) },
    index,
  )
  if (index % 3 === 0) await inbox.deliveries.claimNext(index)
  writeSync(1, `${guid}\n`)
}
