import { existsSync } from 'node:fs'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

// Not the package's own list: its `--single-process` dies with the second context.
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

// Playwright would end the process of the tests where one of them sends itself a signal.
const OPTIONS = { args: ARGUMENTS, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }

/** Chromium: that of the system where there is one, else the one from the package. Close it when done. */
export async function launchBrowser(): Promise<Browser> {
  const system = SYSTEM.find((path) => existsSync(path))
  return system === undefined
    ? await chromium.launch({ ...OPTIONS, executablePath: await sparticuz.executablePath() })
    : await chromium.launch({ ...OPTIONS, executablePath: system })
}
