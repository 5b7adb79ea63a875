/** Pieces of each integral: the relative error of p is below 1e-6. */
const PIECES = 1000

/**
 * `P(|X| >= |t|)` of Student's t with `degrees` of freedom, which need not be whole and are at least 1. With t = √degrees tan θ the
 * density is a power of cos θ, so p is one integral over another and needs no Γ.
 */
export function studentTwoSided(t: number, degrees: number): number {
  const from = Math.atan(Math.abs(t) / Math.sqrt(degrees))
  return integral(from, degrees - 1) / integral(0, degrees - 1)
}

/**
 * Of cos^power from `from` to π/2, by Simpson's rule. The tail is all that counts, so the angle is taken from its end, and steps
 * shrink towards it, where a power that is not whole has no derivatives.
 */
function integral(from: number, power: number): number {
  const length = Math.PI / 2 - from
  let sum = 0
  for (let piece = 0; piece <= PIECES; piece++) {
    const part = piece / PIECES
    const weight = piece === 0 || piece === PIECES ? 1 : piece % 2 === 1 ? 4 : 2
    sum += weight * Math.sin(length * part ** 2) ** power * 2 * part
  }
  return (length * sum) / (3 * PIECES)
}
