import { z } from 'zod'
import type { QueryId } from '../../intake/measurement/run.ts'

const keySchema = z.tuple([z.string(), z.string().nullable()])
const querySchema = z
  .tuple([z.string(), z.union([z.string(), z.int().nonnegative(), z.null()])])
  .rest(z.int().nonnegative())
  .refine(({ length }) => length <= 3)

/**
 * The query and architecture of a `resultKey`, as the entry of a mover keeps it; null for any other text. Of a query that
 * is known by its text the position is not in the key.
 */
export function queryOfHistoryKey(
  key: string,
): { readonly query: QueryId; readonly architecture: string | null } | null {
  const parsed = keySchema.safeParse(json(key))
  if (!parsed.success) return null
  const [queryKey, architecture] = parsed.data
  const query = querySchema.safeParse(json(queryKey))
  if (!query.success) return null
  const [test, name, ordinal] = query.data
  return {
    query: {
      test,
      queryIndex: typeof name === 'number' ? name : null,
      queryName: typeof name === 'string' ? name : null,
      ...(ordinal === undefined ? {} : { ordinal }),
    },
    architecture,
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
