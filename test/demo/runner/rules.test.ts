import { expect, test } from 'vitest'
import { pairsOf, saidBy } from '../../../demo/runner/commands.ts'
import { evaluate, filledIn } from '../../../demo/runner/expressions.ts'
import { permissionsOf } from '../../../demo/runner/permissions.ts'
import { isTriggered, type Occasion } from '../../../demo/runner/triggers.ts'
import { readWorkflow, type Workflow } from '../../../demo/runner/workflow.ts'

const nothing: Occasion = { event: 'push', action: null, branch: null, tag: null, paths: null, workflow: null }

async function startsOn(on: string, occasion: Partial<Occasion>): Promise<boolean> {
  const text = `on: ${on}\njobs: { job: { runs-on: x, steps: [{ run: echo }] } }`
  return isTriggered((await readWorkflow('.github/workflows/x.yml', text)) as Workflow, { ...nothing, ...occasion })
}

test.for<[on: string, occasion: Partial<Occasion>, starts: boolean]>([
  ['push', { branch: 'any/thing' }, true],
  ['push', { event: 'pull_request', action: 'opened' }, false],
  ['[push, pull_request]', { event: 'pull_request', action: 'opened' }, true],
  ['pull_request', { event: 'pull_request', action: 'labeled' }, false],
  ['{ pull_request: { types: [labeled] } }', { event: 'pull_request', action: 'labeled' }, true],
  ['{ push: { branches: [main] } }', { branch: 'main' }, true],
  ['{ push: { branches: [main] } }', { branch: 'mainly' }, false],
  ['{ push: { branches: [main] } }', { tag: 'main' }, false],
  ['{ push: { tags: ["v*"] } }', { tag: 'v1.2' }, true],
  ['{ push: { tags: ["v*"] } }', { branch: 'main' }, false],
  ['{ push: { branches: ["release/*"] } }', { branch: 'release/1' }, true],
  ['{ push: { branches: ["release/*"] } }', { branch: 'release/1/x' }, false],
  ['{ push: { branches: ["release/**"] } }', { branch: 'release/1/x' }, true],
  ['{ push: { branches: ["release/**", "!release/1/**"] } }', { branch: 'release/1/x' }, false],
  ['{ push: { branches-ignore: [dependabot/**] } }', { branch: 'dependabot/npm/x' }, false],
  ['{ push: { paths: ["**/*.c"] } }', { branch: 'main', paths: ['a.c'] }, true],
  ['{ push: { paths: ["src/**"] } }', { branch: 'main', paths: ['docs/a.md'] }, false],
  ['{ push: { paths-ignore: ["docs/**"] } }', { branch: 'main', paths: ['docs/a.md'] }, false],
  ['{ push: { paths-ignore: ["docs/**"] } }', { branch: 'main', paths: ['docs/a.md', 'a.c'] }, true],
  ['{ workflow_run: { workflows: [A] } }', { event: 'workflow_run', action: 'requested', workflow: 'A' }, true],
  ['{ workflow_run: { workflows: [A] } }', { event: 'workflow_run', action: 'completed', workflow: 'B' }, false],
])('%s on %o: %s', async ([on, occasion, starts]) => {
  expect(await startsOn(on, occasion)).toBe(starts)
})

test('expressions have the values of GitHub, and their text is what fills a line in', () => {
  const contexts = { github: { ref: 'refs/heads/main', event: { pull_request: null } }, env: { A: '1' }, steps: {} }
  expect(evaluate("github.ref == 'REFS/heads/main' && env.A != '2'", contexts)).toBe(true)
  expect(evaluate("github.event.pull_request.number || 'none'", contexts)).toBe('none')
  expect(evaluate('!cancelled() && failure()', contexts, 'failure')).toBe(true)
  expect(evaluate('steps.nowhere.outputs.x', contexts)).toBe(null)
  expect(filledIn("${{ env.A }}-${{ env.B }}-${{ '}}' }}-$HOME", contexts)).toBe('1--}}-$HOME')
})

test('what steps write into their files', () => {
  expect(pairsOf('a=1\nb=x=y\nc<<END\none\n\ntwo\nEND\nd=\n')).toEqual({ a: '1', b: 'x=y', c: 'one\n\ntwo', d: '' })
  expect(() => pairsOf('no pair')).toThrow("Invalid format 'no pair'")
  expect(() => pairsOf('a<<END\none')).toThrow('Matching delimiter not found')
  expect(saidBy('::error::all of it: %25')).toMatchObject({ annotation: { message: 'all of it: %', path: '.github' } })
  expect(saidBy('::add-mask::s3cret')).toEqual({ kind: 'mask', secret: 's3cret' })
  expect(saidBy('::group::of lines')).toBe(null)
})

test('a job may what it says, else its workflow, else read; of a fork it reads', () => {
  const all = { contents: 'write', 'pull-requests': 'write', checks: 'none' } as const
  expect(permissionsOf(undefined, undefined, false)).toEqual({ contents: 'read' })
  expect(permissionsOf(undefined, all, false)).toEqual({ contents: 'write', pull_requests: 'write' })
  expect(permissionsOf({ checks: 'write' }, all, false)).toEqual({ checks: 'write' })
  expect(permissionsOf({}, all, false)).toEqual({})
  expect(permissionsOf(undefined, all, true)).toEqual({ contents: 'read', pull_requests: 'read' })
  expect(permissionsOf('write-all', undefined, true)).toMatchObject({ contents: 'read', checks: 'read' })
})
