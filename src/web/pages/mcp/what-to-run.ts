import { z } from 'zod'
import { withVerdict } from '../../../report/parts.ts'
import { nextStep } from '../../../report/render/sections/next-step.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import { reportPath } from '../../../report/urls.ts'
import { addressOf } from '../shown-report.ts'
import { paragraphs, Sentences } from './outside.ts'
import { rowAnswer, rowShape } from './rows.ts'
import { proof, replayOf, reportAsked } from './sources.ts'
import { first, NO_REPORT, OF_REPORT, tool } from './tool.ts'
import { buildShape, buildsOf } from './windows.ts'

export const whatToRun = tool({
  name: 'what_to_run_next',
  title: 'What to run next for a pull request',
  description:
    'What the comment tells the author to do next, the rows that need another run, and the commits to build where a step is to be found.',
  input: OF_REPORT,
  output: {
    steps: z.array(z.string()).describe('What else, as the comment says it.'),
    needRerun: z.array(z.strictObject({ row: rowShape.row, name: rowShape.name })),
    builds: z.array(buildShape),
  },
  async ask(sources, asked) {
    const report = await reportAsked(sources, asked)
    if (report === null) return NO_REPORT
    const view = viewOf(report, NO_LINKS)
    const reruns = withVerdict(view.open, 'needs-rerun')
    const inside = report.pullRequestWindow?.middle ?? null
    const builds = [
      ...(inside === null ? [] : [{ commit: inside, repetitions: null, after: null }]),
      ...report.windows.flatMap(({ plan }) => plan),
    ].flatMap(buildsOf)
    const next = paragraphs(() => nextStep.render(view, Number.POSITIVE_INFINITY))
    return (most) => {
      const sentences = new Sentences()
      const [[answer = 'Nothing to do.', ...steps], moreSteps] = sentences.lines(next, most + 1)
      const [shown, more] = first(reruns, most)
      const [shownBuilds, moreBuilds] = first(builds, most)
      const rows = shown.map((row) => rowAnswer(row, view)).map(({ row, name }) => ({ row, name }))
      return {
        answer,
        steps,
        needRerun: rows,
        builds: [...shownBuilds],
        proof: proof(sources, reportPath(addressOf(report)), replayOf(asked)),
        references: sentences.list(),
        more: more + moreBuilds + moreSteps,
      }
    }
  },
})
