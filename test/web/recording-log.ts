import type { Log } from '../../src/web/kit/log.ts'

export interface LogLine {
  readonly level: keyof Log
  readonly fields: Record<string, unknown>
  readonly message: string
}

/** A log that keeps its lines, to look at what is written. */
export function recordingLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const keep = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}
