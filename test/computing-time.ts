/**
 * Milliseconds that this thread has computed so far, on a machine of the usual speed: a limit of them holds whatever else this one
 * does. A core whose sibling is busy, or a neighbour's, takes twice the time for the same work.
 */
export function computed(): number {
  const spent = cpuTime() - before
  // Less is not worth the time that the work takes.
  if (spent < WORTH) return total + spent / slow
  const now = slowness()
  total += spent / ((slow + now) / 2)
  slow = now
  before = cpuTime()
  return total
}

/** Milliseconds. */
const WORTH = 50

/** Milliseconds that the work below takes a core that is left alone. */
const USUAL = 1.5

/** How many times longer it takes now; never less than 1. The shortest of some: a longer one may have waited for the core. */
function slowness(): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 4; tries++) {
    const start = performance.now()
    for (let round = 0; round < 300; round++) {
      const names = Array.from({ length: 12 }, (_, n) => `a${(n * 7919 + round) % 97}`).toSorted()
      JSON.stringify(JSON.parse(JSON.stringify({ names }))).replaceAll(/a\d/g, 'b')
    }
    shortest = Math.min(shortest, performance.now() - start)
  }
  return Math.max(1, shortest / USUAL)
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// The first are compiled, which takes time.
for (let round = 0; round < 5; round++) slowness()
let slow = slowness()
let before = cpuTime()
let total = 0
