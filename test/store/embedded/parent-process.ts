import { startEmbedded } from '../../../src/store/embedded/embedded.ts'

/** A process that starts an engine and waits to be killed. */
const engine = await startEmbedded({ dataDir: process.argv[2] ?? '' })
process.stdout.write(`${engine.pid()}\n`)
setInterval(() => {}, 1000)
