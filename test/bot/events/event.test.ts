import { expect, test } from 'vitest'
import { readEvent } from '../../../src/bot/events/event.ts'

const COMMIT = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821'

/** A push of an annotated tag: `after` is the tag itself. */
const PUSH = {
  ref: 'refs/tags/v1.0',
  after: 'b'.repeat(40),
  deleted: false,
  head_commit: { id: COMMIT, timestamp: '2026-06-14T10:30:00+02:00' },
  installation: { id: 1 },
  repository: { id: 7, name: 'engine', owner: { login: 'acme' }, default_branch: 'master' },
  sender: { login: 'maria' },
}

const tagOf = (changes: object) => {
  const event = readEvent('push', { ...PUSH, ...changes })
  return event.kind === 'tag' ? { tag: event.tag, names: event.names } : event.kind
}

test('a tag is of the commit that it names, and gone where it was deleted', () => {
  const names = { commit: COMMIT, time: Date.UTC(2026, 5, 14, 8, 30) }
  expect(tagOf({})).toEqual({ tag: 'v1.0', names })
  expect(tagOf({ ref: 'refs/tags/a/<b>"|' })).toEqual({ tag: 'a/<b>"|', names })
  expect(tagOf({ deleted: true, head_commit: null })).toEqual({ tag: 'v1.0', names: null })
})

test('a push to a branch, a tag of something that is no commit, and a name without end are nothing', () => {
  for (const changes of [
    { ref: 'refs/heads/refs/tags/v1' },
    { ref: 'refs/tags/' },
    { ref: `refs/tags/${'v'.repeat(201)}` },
    { head_commit: null },
    { head_commit: { ...PUSH.head_commit, id: 'main' } },
    { head_commit: { ...PUSH.head_commit, timestamp: 'yesterday' } },
  ]) {
    expect(tagOf(changes)).toBe('other')
  }
})
