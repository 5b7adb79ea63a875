/** The time for it was over. What was asked goes on; nobody waits for its answer. */
export class TooLate extends Error {
  override readonly name = 'TooLate'
}

/** The answer of `ask` if it comes within `milliseconds`; not even asked where none are left. Throws `TooLate`. */
export async function withDeadline<T>(ask: () => Promise<T>, milliseconds: number): Promise<T> {
  if (milliseconds <= 0) throw new TooLate('no time was left')
  const asked = ask()
  // Its failure may come when nobody waits any longer.
  asked.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate(`no answer within ${Math.round(milliseconds)} ms`)), milliseconds)
  })
  try {
    return await Promise.race([asked, end])
  } finally {
    clearTimeout(timer)
  }
}
