import { openInbox } from '../../src/inbox/inbox.ts'

// Run by inbox.test.ts where files may not grow beyond some size: fills the inbox, then prints what is said of it.
const inbox = await openInbox(process.argv[2]!)
const said = async (work: () => Promise<unknown>) => {
  try {
    await work()
    return 'ok'
  } catch (error) {
    return (error as Error).message
  }
}
const payload = JSON.stringify(Array.from({ length: 2_000 }, () => Math.random()))
await inbox.ping()
let received = 'ok'
for (let index = 0; index < 10_000 && received === 'ok'; index += 1) {
  received = await said(() =>
    inbox.deliveries.receive({ guid: `${index}`, event: 'push', installationId: 9, payload }, index),
  )
}
// A page or two of the last delivery may still fit.
let ping = 'ok'
for (let index = 0; index < 20 && ping === 'ok'; index += 1) ping = await said(() => inbox.ping())
console.log(JSON.stringify({ received, ping }))
