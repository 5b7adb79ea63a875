import { differingFields, type Environments } from '../../../intake/measurement/environment.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import type { OtherMachine } from './evidence.ts'

/**
 * The sides of a row were measured on machines that differ by the model or the number of their CPUs, by their system, or as a debug
 * and a release build: then their difference is that of the machines, however clear it is.
 *
 * Triggers: old on EPYC 9V74, new on EPYC 7763; old with 8 CPUs, new with 16. Does not: another host of the same kind; another
 * version of the runtime, the compiler or the system, which may be the change; a side of which the source does not say it.
 */
export function otherMachine(
  result: Pick<ClassifiedQuery, 'architecture'>,
  all: readonly Environments[] = [],
): OtherMachine | null {
  const { architecture } = result
  const environments = all.find((one) => one.architecture === architecture)
  if (environments === undefined) return null
  const { old, new: fresh } = environments
  const fields = differingFields(environments, 'machine').map((field) => ({
    field,
    old: old[field] ?? [],
    new: fresh[field] ?? [],
  }))
  return fields.length === 0 ? null : { kind: 'other-machine', architecture, fields }
}
