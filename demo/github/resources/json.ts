export type JsonObject = Record<string, unknown>

/** GitHub's times have no fraction of a second. */
export function time(date: Date): string {
  return date.toISOString().slice(0, 19) + 'Z'
}

export function timeOrNull(date: Date | null): string | null {
  return date === null ? null : time(date)
}

export function nodeId(kind: string, id: number | string): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`
}
