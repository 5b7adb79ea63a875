/** perf.py cuts names after so many characters and writes `...(<index>)` behind, so that they stay distinct. */
const LONGEST_DISPLAY_NAME = 1000

/**
 * The text of a query without the index that was written behind a name that was cut: the index shifts when a query is
 * inserted before it, the text does not.
 */
export function withoutIndex(name: string, index: number): string {
  const suffix = `...(${index})`
  return name.endsWith(suffix) && name.length >= LONGEST_DISPLAY_NAME + suffix.length
    ? name.slice(0, -suffix.length)
    : name
}
