#!/usr/bin/env node
// The launcher: plain JavaScript that an old Node can still read, so that it can say what to do. A package holds compiled
// files, a checkout the sources, which Node reads from 24 on without a build.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'

const isCheckout = existsSync(new URL('../src/cli.ts', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
const supported =
  (!isCheckout && major === 22 && minor >= 16) ||
  (major === 24 && minor >= 11) ||
  (major === 26 && minor >= 3) ||
  major > 26
if (supported) {
  nodeModule.enableCompileCache()
  const { main } = await import(isCheckout ? '../src/cli.ts' : '../dist/cli.js')
  process.exitCode = await main(process.argv.slice(2))
} else {
  console.error(
    `perf-triage: this is Node ${process.versions.node}, and ` +
      (isCheckout
        ? 'a checkout needs Node 24.11 or newer (24 or 26). Run it with "npx perf-triage …" after "npm install": npm brings the right Node with it.'
        : 'it needs Node 22.16, 24.11, 26.3 or newer: install one of them (https://nodejs.org) and start it again.'),
  )
  process.exitCode = 2
}
