import { leftOutByLimit, type ReadWarning } from '../../intake/measurement/run.ts'
import { counted } from '../../text/numbers.ts'
import { InputError } from './command.ts'
import { plainText } from './terminal-text.ts'

/** Throws `InputError` where a limit left something out: what was printed looks like the whole. */
export function onlyWhole(warnings: readonly ReadWarning[]): void {
  const [first, ...others] = leftOutByLimit(warnings)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'more limit', 'more limits')}`
  const reason = `${plainText(first.where)}: ${plainText(first.message)}${more}`
  throw new InputError(`not everything was read (${reason}); give it in smaller parts, archives unpacked`)
}
