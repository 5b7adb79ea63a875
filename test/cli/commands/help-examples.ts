import { perfTriage } from './capture.ts'

/** An example at the end of a command's help, as a shell takes it apart: without where its input and output go. */
export interface HelpExample {
  /** `ledger list` */
  readonly command: string
  readonly text: string
  readonly words: readonly string[]
}

export async function helpExamples(command: string): Promise<HelpExample[]> {
  const { stdout } = await perfTriage([...command.split(' '), '--help'])
  const [, examples = ''] = stdout.split('\nExamples:\n')
  return [...examples.matchAll(/^ {2}perf-triage (.+?)(?: {2,}.*)?$/gm)].map(([, text = '']) => ({
    command,
    text,
    words: wordsOf(text.replace(/ [<>] \S+$/, '')),
  }))
}

/** What the variables of the examples hold. */
const VARIABLES: Readonly<Record<string, string>> = { HEAD_SHA: '7d3f'.repeat(10), HEAD_REPOSITORY: 'acme/engine' }

function wordsOf(text: string): string[] {
  return (text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) =>
    word.replaceAll(/['"]/g, '').replace(/^\$(\w+)$/, (_, name: string) => VARIABLES[name] ?? ''),
  )
}
