import { afterEach, expect, test } from 'vitest'
import type { CiDatabaseEnvironment } from '../../../src/config/environment.ts'
import { type HistorySources, openHistorySources } from '../../../src/store/sync/history-sources.ts'

let opened: HistorySources | null = null
afterEach(async () => await opened?.close())

function open(changes: Partial<CiDatabaseEnvironment> = {}): HistorySources {
  opened = openHistorySources({
    url: 'https://ci.example.com:8443/',
    user: 'reader',
    password: 'a secret',
    repositories: null,
    tables: ['query_metrics_v2', 'query_metric_runs_v1'],
    ...changes,
  })
  return opened
}

const BOTH = { table: 'query_metrics_v2', runsTable: 'query_metric_runs_v1' }
const namesOf = (sources: HistorySources, repository: string, tables: Parameters<HistorySources['of']>[1]) =>
  sources.of(repository, tables)?.tables.map(({ copiedFrom }) => copiedFrom)

test('medians come first, and a copied row names the address and table, and no secret', () => {
  expect(namesOf(open(), 'acme/engine', BOTH)).toEqual([
    'https://ci.example.com:8443/query_metrics_v2',
    'https://ci.example.com:8443/query_metric_runs_v1',
  ])
})

test('a repository whose CI the database does not hold has none', () => {
  const sources = open({ repositories: ['acme/engine'] })
  expect([sources.holds('Acme/Engine'), sources.holds('acme/other')]).toEqual([true, false])
  expect(sources.of('acme/other', BOTH)).toBeNull()
})

test('nothing is copied where one of the tables is not the operator’s, and the default one of raw runs is left out', () => {
  const sources = open({ tables: ['query_metrics_v2'] })
  expect(sources.of('acme/engine', { table: 'query_metrics_v2', runsTable: 'system.users' })).toEqual({
    tables: [],
    forbidden: 'system.users',
  })
  expect(namesOf(sources, 'acme/engine', BOTH)).toEqual(['https://ci.example.com:8443/query_metrics_v2'])
  expect(sources.of('acme/engine', { table: null, runsTable: null })).toBeNull()
  const allowed = open()
  expect(allowed.of('acme/engine', { table: null, runsTable: 'query_metric_runs_v1' })).toBeNull()
})
