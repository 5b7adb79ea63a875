import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { QUESTIONS } from './questions.ts'

/** Answers the questions by what the tools return and nothing else: it knows the names in a question, and no report. */

const name = z.object({ untrusted: z.string() }).transform(({ untrusted }) => untrusted)
const nameOrNull = name.nullable()

const answers = {
  open_rows: z.object({
    conclusion: z.string().nullable(),
    counts: z.record(z.string(), z.number()),
    rows: z.array(
      z.object({ row: z.string(), name, verdict: z.string().nullable(), old: z.number(), new: z.number() }),
    ),
    failing: z.object({ yours: z.number(), known: z.number() }).nullable(),
    failingTests: z.array(z.object({ test: name, classification: z.string(), isNew: z.boolean() })),
  }),
  explain: z.object({ verdict: z.string().nullable(), classification: z.string().nullable(), causedBy: nameOrNull }),
  samples: z.object({ oldSamples: z.array(z.number()), newSamples: z.array(z.number()) }),
  where_time_went: z.object({ changedByPullRequest: z.array(z.object({ function: name })) }),
  is_failure_known: z.object({
    known: z.boolean(),
    entries: z.array(z.object({ test: name, unrelatedPullRequests: z.number() })),
  }),
  step_window: z.object({
    windows: z.array(
      z.object({
        name,
        step: z.number(),
        commit: z.object({ title: name, pullRequest: z.number().nullable() }).nullable(),
        builds: z.array(z.object({ repetitions: z.number().nullable() })),
      }),
    ),
  }),
  queue: z.object({ items: z.array(z.object({ kind: z.string(), what: name })) }),
  what_to_run_next: z.object({ answer: z.string(), needRerun: z.array(z.object({ name })) }),
}

type ToolName = keyof typeof answers

/** What was asked and what came back. */
export interface Asked {
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
  readonly answer: unknown
  /** The answer as a text, or why there is none. */
  readonly text: string
}

export class ScriptedClient {
  readonly asked: Asked[] = []
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async call(tool: string, given: Readonly<Record<string, unknown>>): Promise<Asked> {
    const result = await this.#client.callTool({ name: tool, arguments: given })
    const [content] = z.tuple([z.object({ text: z.string() })]).parse(result.content)
    const asked = { tool, given, answer: result.structuredContent, text: content.text }
    this.asked.push(asked)
    return asked
  }

  async #ask<Name extends ToolName>(tool: Name, given: object): Promise<z.output<(typeof answers)[Name]>> {
    const { answer } = await this.call(tool, { repository: 'acme/engine', ...given })
    return answers[tool].parse(answer) as z.output<(typeof answers)[Name]>
  }

  /** An answer a question, in the order of the questions. */
  async answers() {
    const rows = async (pullRequest: number) => await this.#ask('open_rows', { pullRequest })
    const failure = async (row: string) => await this.#ask('explain', { pullRequest: 3, row })
    const [one, two, three, five] = [await rows(1), await rows(2), await rows(3), await rows(5)]
    const [slower] = two.rows
    const { oldSamples, newSamples } = await this.#ask('samples', { pullRequest: 2, row: slower!.row })
    const profile = await this.#ask('where_time_went', { pullRequest: 2, row: slower!.row })
    const ofFour = await this.#ask('step_window', { pullRequest: 4 })
    const verdicts = await Promise.all(
      ofFour.windows.map(async ({ name: row }) => (await this.#ask('explain', { pullRequest: 4, row })).verdict),
    )
    const [hung] = (await this.#ask('is_failure_known', { test: 'Hung check failed' })).entries
    const queue = await this.#ask('queue', {})
    const [step] = (await this.#ask('step_window', { row: 'orders_sort #1' })).windows
    const build = ofFour.windows.find((window) => window.name === 'orders_sort #0')?.builds[0]
    const reruns = (await this.#ask('what_to_run_next', { pullRequest: 1 })).needRerun
    return {
      author: {
        'Which benchmark is slower in #2?': slower!.name,
        'From what to what did it go, in seconds?': [slower!.old, slower!.new],
        'Is each new repetition of it slower than each old one?': Math.min(...newSamples) > Math.max(...oldSamples),
        'Which function that #2 changes grew in its profile?': profile.changedByPullRequest[0]!.function,
        'Which failing test of #3 is new there?': three.failingTests.find(({ isNew }) => isNew)!.test,
        'What is 03207_keeper_reconnects in #3?': (await failure('03207_keeper_reconnects')).classification,
        'From what does "Cannot start clickhouse-server" in #3 follow?': (
          await failure('Cannot start clickhouse-server')
        ).causedBy,
        'Both slower queries of #4: are they of this change?': verdicts,
        'What is to be done about #4?': (await this.#ask('what_to_run_next', { pullRequest: 4 })).answer,
        'How does the check of #5 conclude, and how many rows are open?': [five.conclusion, five.counts['open']],
      },
      maintainer: {
        'How many queries of #1 got slower, and which is the worst?': [one.counts['slower'], one.rows[0]!.name],
        'How does the check of #1 conclude?': one.conclusion,
        'Which rows of #1 need another run?': reruns.map((row) => row.name),
        'How many failing tests of #3 look like its own, and how many are known?': [
          three.failing!.yours,
          three.failing!.known,
        ],
        'In how many unrelated pull requests did "Hung check failed" fail in 30 days?': hung!.unrelatedPullRequests,
        'Is 03999_my_new_test a known failure?': (await this.#ask('is_failure_known', { test: '03999_my_new_test' }))
          .known,
      },
      'on-call engineer': {
        'What waits in the queue?': queue.items.map(({ kind }) => kind),
        'Which commit made orders_sort #1 slower on the main branch, of which pull request?': [
          step!.commit!.title,
          step!.commit!.pullRequest,
        ],
        'How large is that step?': step!.step,
        'With how many repetitions a side would a build of it show the step of orders_sort #0?': build!.repetitions,
      },
    } satisfies {
      readonly [Who in keyof typeof QUESTIONS]: { readonly [Question in keyof (typeof QUESTIONS)[Who]]: unknown }
    }
  }
}
