import { sqlName, sqlText } from '../text/quote.ts'
import type { ClickHouse } from './client.ts'

/**
 * The placeholders that make one SQL file serve a single server and a cluster. There are five, and no other:
 *
 * | placeholder            | single server | cluster `c`                                              |
 * |------------------------|---------------|----------------------------------------------------------|
 * | `{{table:NAME}}`       | `NAME`        | `NAME_local ON CLUSTER 'c'`                              |
 * | `{{engine:E(…)}}`      | `E(…)`        | `ReplicatedE(…)`, path and replica name by the server's default |
 * | `{{local:NAME}}`       | `NAME`        | `DATABASE.NAME_local`                                    |
 * | `{{distributed:NAME}}` | the statement is left out | `NAME ON CLUSTER 'c' AS NAME_local ENGINE = Distributed('c', currentDatabase(), NAME_local, repository_id)` |
 * | `{{everywhere:system.NAME}}` | `system.NAME` | `clusterAllReplicas('c', system.NAME)`                  |
 *
 * `{{table:…}}` is for statements that create, alter or delete. Reads and inserts name the plain table: on a cluster
 * that is the distributed one; `{{local:…}}` is for a migration that reads what each node has, with its database: a node
 * that gets a statement by ON CLUSTER looks for the tables that it reads in `default`. Rows are spread by the repository,
 * so that all rows of one are on one shard.
 */
const PLACEHOLDER = /\{\{(\w+):([^{}]*)\}\}/g
const NAME = /^[a-z][a-z0-9_]*$/
const SYSTEM_TABLE = /^system\.[a-z_]+$/
const ENGINE = /^\w*MergeTree(\([\w, ]*\))?$/

/**
 * `where` null: a single server. The result is null where the statement is for a cluster only, and there is none.
 * @throws for a placeholder that does not exist.
 */
export function fillPlaceholders(sql: string, where: Pick<ClickHouse, 'cluster' | 'database'> | null): string | null {
  const { cluster, database } = where ?? { cluster: null, database: '' }
  if (cluster === null && sql.includes('{{distributed:')) return null
  const filled = sql.replace(PLACEHOLDER, (whole, kind: string, value: string) => {
    if (kind === 'table' && NAME.test(value)) {
      return cluster === null ? value : `${value}_local ON CLUSTER ${sqlText(cluster)}`
    }
    if (kind === 'local' && NAME.test(value)) return cluster === null ? value : `${sqlName(database)}.${value}_local`
    if (kind === 'everywhere' && SYSTEM_TABLE.test(value)) {
      return cluster === null ? value : `clusterAllReplicas(${sqlText(cluster)}, ${value})`
    }
    if (kind === 'engine' && ENGINE.test(value)) return cluster === null ? value : `Replicated${value}`
    if (kind === 'distributed' && NAME.test(value) && cluster !== null) {
      const local = `${value}_local`
      const engine = `Distributed(${sqlText(cluster)}, currentDatabase(), ${local}, repository_id)`
      return `${value} ON CLUSTER ${sqlText(cluster)} AS ${local} ENGINE = ${engine}`
    }
    throw new Error(`SQL placeholder ${whole} is unknown`)
  })
  if (filled.includes('{{')) throw new Error('SQL placeholder is not well-formed')
  return filled
}
