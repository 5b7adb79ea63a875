/** A coordinate of an SVG: short, and never an exponent. */
export function coordinate(value: number): string {
  return String(Number(value.toFixed(2)))
}
