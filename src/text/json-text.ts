import { z } from 'zod'

/** Text that holds JSON of a shape, as a column does. Text that is no JSON is refused like JSON of another shape. */
export function jsonText<Value>(schema: z.ZodType<Value>): z.ZodType<Value, string> {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}
