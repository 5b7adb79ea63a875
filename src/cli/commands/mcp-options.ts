import type { Command } from 'commander'

/** The description, options and examples of `perf-triage mcp`. */
export function define(command: Command): void {
  command
    .description(
      'Answers programs that ask by the Model Context Protocol, on standard input and output: eight tools that only read. Whoever may read the data folder may ask, about private repositories too. A running bot answers the same at /mcp over HTTP, about public repositories alone.',
    )
    .addHelpText('after', CLIENT)
}

const CLIENT = `
Examples:
  perf-triage mcp                              as a client starts it
  perf-triage mcp --data-dir /var/lib/triage   of another data folder

In the configuration of a client:
  { "mcpServers": { "perf-triage": {
      "command": "perf-triage",
      "args": ["mcp", "--data-dir", "/var/lib/triage"] } } }
With PUBLIC_URL in its environment answers link to pages.`
