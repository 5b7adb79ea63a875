import { printedOutput } from './printed-output.ts'
import { LINE } from './ruby-lines.ts'

/** What Benchmark of Ruby prints, and the gem benchmark-ips. */
export const ruby = printedOutput({
  name: 'ruby',
  of: 'Ruby’s Benchmark',
  line: LINE,
  load: async () => (await import('./ruby-output.ts')).rubyOutput,
})
