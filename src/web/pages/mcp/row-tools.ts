import { z } from 'zod'
import { TRACE_TYPES } from '../../../intake/measurement/trace-type.ts'
import { rowAnchor } from '../../../report/anchors.ts'
import { decisive } from '../../../report/parts.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import { profileOf } from '../flame-graph/shown-profile.ts'
import { primaryOf, rowAt } from '../row/shown-row.ts'
import { untrusted, untrustedText } from './outside.ts'
import { rowAnswer, rowOf, rowPagePath, rowShape } from './rows.ts'
import { proof, replayOf, reportAsked } from './sources.ts'
import { first, NO_REPORT, OF_REPORT, ROW, tool } from './tool.ts'

const OF_ROW = {
  ...OF_REPORT,
  row: ROW,
  architecture: z.string().max(200).optional().describe('Absent: the one that decides.'),
}

const values = z.array(z.number()).describe('In the order in which they were measured.')
const count = z.int().nonnegative()

export const samples = tool({
  name: 'samples',
  title: 'Samples of a row',
  description: 'What was measured of a row: each repetition of the old and of the new build, and how it was tested.',
  input: OF_ROW,
  output: {
    ...rowShape,
    oldSamples: values,
    newSamples: values,
    separated: z.boolean().nullable().describe('Each value of one side is beyond each one of the other.'),
    threshold: z.number().nullable().describe('What relabelings reach in 1%, a fraction of the old median.'),
    pValue: z.number().nullable(),
    changedThreshold: z.number().nullable().describe('A smaller difference is too small to be a change.'),
  },
  async ask(sources, asked) {
    const report = await reportAsked(sources, asked)
    if (report === null) return NO_REPORT
    const row = rowOf(report, asked.row)
    if (typeof row === 'string') return row
    const view = viewOf(report, NO_LINKS)
    const wanted = asked.architecture ?? decisive(row).architecture
    const { measured } = await rowAt(sources.store, report, row, wanted)
    const one = measured.find(({ result }) => result.architecture === wanted)
    if (one === undefined) return 'The row was not measured on that architecture.'
    const found = primaryOf(one)?.samples ?? null
    const { separated, threshold, pValue, changedThreshold } = one.result
    return (most) => {
      const [oldSamples, moreOld] = first(found?.old ?? [], most)
      const [newSamples, moreNew] = first(found?.new ?? [], most)
      return {
        answer:
          found === null
            ? 'The samples of this row are not stored any more, or its tool gives none.'
            : 'The samples of both builds, in the unit of the row.',
        ...rowAnswer(row, view, one.result),
        oldSamples: [...oldSamples],
        newSamples: [...newSamples],
        ...{ separated, threshold, pValue, changedThreshold },
        proof: proof(sources, rowPagePath(report, view, row, 'query'), replayOf(asked)),
        references: [],
        more: moreOld + moreNew,
      }
    }
  },
})

const frames = z.array(
  z.strictObject({
    function: untrustedText,
    change: z.string().describe('Shares of all samples, old and new.'),
    points: z.string(),
    withinChance: z.boolean(),
  }),
)

export const whereTimeWent = tool({
  name: 'where_time_went',
  title: 'Where the time of a row went',
  description:
    'The functions whose share of a profile changed most between the old and the new build, and those among them that the pull request changes.',
  input: OF_ROW,
  output: {
    row: rowShape.row,
    name: untrustedText,
    trace: z.enum(TRACE_TYPES),
    oldSamples: count,
    newSamples: count,
    cautions: z.array(z.string()),
    changedByPullRequest: z.array(
      z.strictObject({
        function: untrustedText,
        file: untrustedText,
        oldShare: z.number(),
        newShare: z.number(),
        onlyFile: z.boolean().describe('The file is changed, and not the function as far as the diff shows.'),
      }),
    ),
    withCallees: frames,
    self: frames,
  },
  async ask(sources, asked) {
    const report = await reportAsked(sources, asked)
    if (report === null) return NO_REPORT
    const row = rowOf(report, asked.row)
    if (typeof row === 'string') return row
    const parameters = new URLSearchParams(asked.architecture === undefined ? {} : { architecture: asked.architecture })
    const shown = await profileOf(sources.store.profiles, report, rowAnchor(row), parameters, sources.profile)
    if (shown === null) return 'No profile of this row is stored.'
    const view = viewOf(report, NO_LINKS)
    const { words, difference } = shown.profile
    const grown = row.evidence.flatMap((evidence) => (evidence.kind === 'on-path' ? evidence.functions : []))
    return (most) => {
      const [onPath, moreOnPath] = first(grown, most)
      const [total, moreTotal] = first(words.total, most)
      const [self, moreSelf] = first(words.self, most)
      return {
        answer: 'Shares of the samples of each build: first with all that a function calls, then its own.',
        row: view.idOf(row),
        name: rowAnswer(row, view).name,
        trace: shown.view.traceType,
        oldSamples: difference.old.sum,
        newSamples: difference.new.sum,
        cautions: [...words.cautions],
        changedByPullRequest: onPath.map(({ name, file, oldShare, newShare, onlyFile }) => ({
          function: untrusted(name),
          file: untrusted(file),
          ...{ oldShare, newShare, onlyFile: onlyFile === true },
        })),
        withCallees: total.map(frame),
        self: self.map(frame),
        proof: proof(sources, rowPagePath(report, view, row, 'flame'), replayOf(asked)),
        references: [],
        more: moreOnPath + moreTotal + moreSelf,
      }
    }
  },
})

function frame({
  name,
  change,
  points,
  withinChance,
}: {
  name: string
  change: string
  points: string
  withinChance: boolean
}) {
  return { function: untrusted(name), change, points, withinChance }
}
