import type { Unit } from '../../intake/measurement/trace-type.ts'
import type { StackDifference, Weights } from './stack-difference.ts'

/** The address of the format's description; speedscope reads only files that name it. */
const SCHEMA = 'https://www.speedscope.app/file-format-schema.json'

/** Samples in one piece of text. */
const PIECE = 1000

/** Names of the whole and of the two profiles in it. */
export interface ProfileNames {
  readonly title: string
  readonly old: string
  readonly new: string
}

/**
 * Both sides as one file of speedscope's format, a profile each with frames in common, for https://www.speedscope.app or
 * a copy of it: JSON in pieces, to be written one after the other. Speedscope shows one profile at a time; it has no view
 * of a difference.
 *
 * Source: file-format-schema.json of speedscope 1.25, type `sampled`.
 */
export function* speedscopeJson(difference: StackDifference, names: ProfileNames, unit: Unit): Generator<string> {
  const { frames, old, new: fresh } = difference
  yield `{"$schema":${JSON.stringify(SCHEMA)},"name":${JSON.stringify(names.title)},"exporter":"perf-triage",`
  yield '"activeProfileIndex":1,"shared":{"frames":['
  yield* pieces(frames.length, (id) => JSON.stringify({ name: frames[id] }))
  yield ']},"profiles":['
  yield* profile(difference, old, `old: ${names.old}`, unit)
  yield ','
  yield* profile(difference, fresh, `new: ${names.new}`, unit)
  yield ']}\n'
}

function* profile(difference: StackDifference, { self, sum }: Weights, name: string, unit: Unit): Generator<string> {
  const nodes: number[] = []
  for (let node = 1; node < self.length; node += 1) if (self[node]! > 0) nodes.push(node)
  yield `{"type":"sampled","name":${JSON.stringify(name)},"unit":"${unit === 'samples' ? 'none' : unit}",`
  yield `"startValue":0,"endValue":${sum},"samples":[`
  yield* pieces(nodes.length, (i) => `[${framesTo(difference, nodes[i]!).join(',')}]`)
  yield '],"weights":['
  yield* pieces(nodes.length, (i) => String(self[nodes[i]!]!))
  yield ']}'
}

function framesTo({ frame, parent }: StackDifference, node: number): number[] {
  const ids: number[] = []
  for (let at = node; at > 0; at = parent[at]!) ids.push(frame[at]!)
  return ids.reverse()
}

function* pieces(length: number, text: (i: number) => string): Generator<string> {
  let piece: string[] = []
  for (let i = 0; i < length; i += 1) {
    piece.push(text(i))
    if (piece.length < PIECE && i + 1 < length) continue
    yield piece.join(',') + (i + 1 < length ? ',' : '')
    piece = []
  }
}
