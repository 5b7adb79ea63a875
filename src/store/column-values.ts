import { z } from 'zod'

/** Values of columns as ClickHouse writes them in JSON. */

/** 64-bit integers come as text: as numbers they would lose digits. Counts are far below that. */
export const count = z.coerce.number().int().nonnegative()

const NON_FINITE: Readonly<Record<string, number>> = { nan: NaN, '-nan': NaN, inf: Infinity, '-inf': -Infinity }
export const float = z.union([
  z.number(),
  z.enum(['nan', '-nan', 'inf', '-inf']).transform((text) => NON_FINITE[text] ?? NaN),
])

/** A Bool comes as true or false, the result of a comparison as 0 or 1. */
export const bool = z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean)

/** Which way a metric is better; nothing where nobody knows. */
export const storedBetter = z.enum(['lower', 'higher', '']).transform((text) => (text === '' ? null : text))
