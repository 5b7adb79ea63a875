import { InvalidArgumentError } from 'commander'
import { FAIL_ON, type FailOn } from './command.ts'

/** A threshold as a fraction from 0 to 1. Throws commander's error with a hint for those who think in percent. */
export function parseFraction(text: string): number {
  const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text)
  if (percent !== null)
    throw new InvalidArgumentError(`It is a fraction: ${Number(percent[1]) / 100} for ${text.trim()}.`)
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('It is a fraction such as 0.05 for 5 %.')
  if (value > 1) {
    throw new InvalidArgumentError(`It is a fraction, and this is ${value * 100} %; ${value / 100} is ${value} %.`)
  }
  return value
}

/** `slower,unstable`, given once or more often. */
export function parseFailOn(text: string, before: readonly FailOn[] = []): readonly FailOn[] {
  const conditions = text.split(',').map((part) => {
    const condition = FAIL_ON.find((name) => name === part.trim())
    if (condition === undefined) throw new InvalidArgumentError(`There are: ${FAIL_ON.join(', ')}.`)
    return condition
  })
  return [...new Set([...before, ...conditions])]
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It is a number from 0 to 65535.')
  return port
}
