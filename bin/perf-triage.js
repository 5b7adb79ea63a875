#!/usr/bin/env node
// The launcher: plain JavaScript that an old Node can still read, so that it can say what to do.
import * as nodeModule from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
const supported = (major === 24 && minor >= 11) || (major === 26 && minor >= 3) || major > 26
if (supported) {
  nodeModule.enableCompileCache()
  const { main } = await import('../src/cli.ts')
  process.exitCode = await main(process.argv.slice(2))
} else {
  console.error(
    `perf-triage: this is Node ${process.versions.node}, and it needs Node 24.11 or newer (24 or 26). ` +
      'In a checkout run it with "npx perf-triage …" after "npm install": npm brings the right Node with it.',
  )
  process.exitCode = 2
}
