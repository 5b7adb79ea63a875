import { benchClassify } from './classify.ts'
import { benchHistory, historyText } from './history.ts'
import { benchImport, benchLedger, importText, ledgerText } from './ledger.ts'
import { benchStatistics, statisticsTable } from './statistics.ts'

/** `npm run bench`: every figure of the README, measured on this machine. */
console.log(statisticsTable(await benchStatistics()))
const { queries, repetitions, runs, wallSeconds, peakMegabytes } = await benchClassify()
console.log(
  `\nclassify, whole process, ${queries} queries of ${repetitions} + ${repetitions}, median of ${runs}: ` +
    `${wallSeconds.toFixed(2)} s, ${Math.round(peakMegabytes)} MB`,
)
console.log(`\n${ledgerText(await benchLedger())}`)
console.log(importText(await benchImport()))
console.log(`\n${historyText(await benchHistory())}`)
