import { z } from 'zod'
import { type Said, saidSchema } from '../verdict/acceptance.ts'
import { entryIdOf } from './entry.ts'
import type { Failure } from './failure.ts'

/** What people declare of failures in a whole repository. Decisions of one pull request: `report/acceptance.ts`. */

export const declaredFailureSchema = z.object({
  /** Empty: a check that failed without a failing test. */
  testName: z.string(),
  checkName: z.string(),
  /** `Signature.text`: another output of the same test is another failure. */
  signature: z.string(),
  /** Null: none was named. */
  issue: z.object({ number: z.int(), url: z.string() }).nullable(),
})

const subject = z.object({
  /** Where it was said; it holds in the whole repository. */
  pullRequestNumber: z.int(),
  failures: z.array(declaredFailureSchema).readonly(),
})

/** A decision of a person about failures of a repository. The later one of two that speak of the same failure counts. */
export const declarationSchema = z.discriminatedUnion('kind', [
  saidSchema.extend({ kind: z.literal('chronic'), subject, until: z.int() }),
  /** Takes back what was declared of these. */
  saidSchema.extend({ kind: z.literal('unchronic'), subject }),
])
export type Declaration = Readonly<z.output<typeof declarationSchema>>
export type DeclaredFailure = Readonly<z.output<typeof declaredFailureSchema>>

/** The last word of people on one failure. */
export interface LastDeclaration {
  readonly kind: Declaration['kind']
  readonly by: Said
  readonly failure: DeclaredFailure
  readonly pullRequestNumber: number
}

/** By the id of the entry. */
export type Declarations = ReadonlyMap<string, LastDeclaration>

/** The last word on each failure, of all declarations in the order in which they were said. */
export function lastDeclarations(declarations: readonly Declaration[]): Declarations {
  return new Map(
    declarations.flatMap(({ kind, subject: { failures, pullRequestNumber }, ...by }) =>
      failures.map((failure) => [entryIdOfDeclared(failure), { kind, by, failure, pullRequestNumber }] as const),
    ),
  )
}

/** The id of the entry of the failure, whether or not there is one. */
export function entryIdOfDeclared({ testName, checkName, signature }: Omit<DeclaredFailure, 'issue'>): string {
  return entryIdOf('failure', testName, signature, testName === '' ? checkName : null)
}

export function declaredFailureOf(
  { testName, checkName, signature }: Pick<Failure, 'testName' | 'checkName' | 'signature'>,
  issue: DeclaredFailure['issue'],
): DeclaredFailure {
  return { testName, checkName, signature: signature.text, issue }
}

/** `expired`: nobody took it back, and its last day is over. Times in milliseconds. */
export function stateOf({ kind, by: { until } }: LastDeclaration, now: number): 'holds' | 'expired' | 'withdrawn' {
  if (kind === 'unchronic') return 'withdrawn'
  return until === null || until >= now ? 'holds' : 'expired'
}
