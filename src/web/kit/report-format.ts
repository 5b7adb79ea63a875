export type ReportFormat = 'html' | 'json' | 'tsv'

const MEDIA_TYPES: readonly (readonly [type: string, format: ReportFormat])[] = [
  ['text/html', 'html'],
  ['application/json', 'json'],
  ['text/tab-separated-values', 'tsv'],
]

/**
 * What to send: what `?format=` names (null when it names none there is), else what the `Accept` header prefers, else the
 * page. A browser and `curl` get the page.
 */
export function chooseFormat(parameter: string | undefined, accept: string | undefined): ReportFormat | null {
  if (parameter !== undefined) return MEDIA_TYPES.find(([, format]) => format === parameter)?.[1] ?? null
  const weights = new Map<string, number>()
  for (const part of (accept ?? '').toLowerCase().split(',').slice(0, 20)) {
    const [type, ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((candidate) => candidate.startsWith('q='))
    weights.set(type!, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (type: string) =>
    weights.get(type) ?? weights.get(`${type.split('/')[0]}/*`) ?? weights.get('*/*') ?? 0
  const best = Math.max(...MEDIA_TYPES.map(([type]) => weightOf(type)))
  // What fits nothing gets the page: a person with an odd client is better served by it than by an error.
  return best <= 0 ? 'html' : MEDIA_TYPES.find(([type]) => weightOf(type) === best)![1]
}
