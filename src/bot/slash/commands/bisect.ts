import { queryKey } from '../../../intake/measurement/run.ts'
import { bisectScript } from '../../../judge/bisect/bisect-script.ts'
import type { BisectWindow } from '../../../judge/bisect/bisect-window.ts'
import { isOpen } from '../../../judge/verdict/verdict.ts'
import { pullRequestWindow } from '../../../report/render/sections/bisect-windows.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryCode } from '../../../report/row/name.ts'
import { windowWords } from '../../../report/step/words.ts'
import { isCommitId } from '../../../text/commits.ts'
import { fold } from '../../../text/markdown.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'
import { nameableRows, rowsNamed } from '../rows-named.ts'

/** Windows of one answer, of several architectures or queries of a test: each has a script of two screens. */
const MOST = 3

/** Characters of the part about the pull request. */
const ROOM = 5_000

/**
 * For whoever wants the commit that made a row slower. The person sees a reply: the window, its commits and a script that bisects
 * it; where there is none, why, and what to do.
 */
export const bisect: Command = {
  name: 'bisect',
  usage: 'bisect ROW',
  who: 'triage',
  isQuestion: true,
  readsReport: true,
  summary: 'Says between which commits the main branch made a row’s step, with a script that finds the commit.',
  run({ config, report, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const name = [...given.names, ...(given.reason === null ? [] : [given.reason])].join(' ')
    if (name === '') return refused(`Name a row, as in \`${config.commands.prefix} bisect order_by_read #1\`.`)
    if (report === null) return refused('There is no report of this pull request yet.')
    const named = rowsNamed(nameableRows(report), [name], 'is in the report')
    if (typeof named === 'string') return refused(named)
    const keys = new Set(named.map(({ row }) => queryKey(row)))
    const windows = report.windows.filter((window) => keys.has(queryKey(window)))
    const answers = windows.slice(0, MOST).map((window) => windowAnswer(report, window))
    if (windows.length > MOST) answers.push('Several windows in the report have that name: name one row.')
    return {
      wasDone: true,
      words: (answers.length > 0 ? answers : [withoutWindow(report, named[0]!.row)]).join('\n\n'),
    }
  },
}

function windowAnswer(report: TriageReport, window: BisectWindow): string {
  const place = { repositoryUrl: report.repository.url, seenFrom: Date.parse(report.judgedAt) }
  const said = windowWords([window], place)
  const { lastGood, firstBad } = window.step
  if (!isCommitId(lastGood.commit) || !isCommitId(firstBad.commit)) {
    return `${said}\n\nIts ends are not full commit IDs, so there is no script.`
  }
  const script = bisectScript(window, { buildLink: null })
  return `${said}\n\n${fold('The script, to be completed and run inside a clone', `\`\`\`sh\n${script}\`\`\``)}`
}

/** Why there is no window, and what to do. */
function withoutWindow(report: TriageReport, row: ReportRow): string {
  const name = queryCode(row)
  const history = report.history ?? null
  if (history === null || history.problem !== null) {
    return `There is no bisect window of ${name}: the main branch’s history was not available when the report was made. Use \`refresh\` when it is back.`
  }
  if (!isOpen(row.verdict)) {
    return `There is no bisect window of ${name}: it is not open, and no step of the main branch explains it.`
  }
  const inside = pullRequestWindow.render(viewOf(report, NO_LINKS), ROOM)
  const none = `There is no bisect window of ${name}: the main branch made no step of this size between its old build and the merge base.`
  if (inside !== '') return `${none} Look inside the pull request.\n\n${inside}`
  const { mergeBase, head } = report
  return mergeBase !== null && isCommitId(mergeBase) && isCommitId(head)
    ? `${none} Look inside the pull request: \`git bisect start ${head.slice(0, 7)} ${mergeBase.slice(0, 7)}\`, and measure the merge base first.`
    : `${none} Look inside the pull request, and measure the merge base first.`
}
