/** The fields that tools write of the place where they measured. Closed. */
export const ENVIRONMENT_FIELDS = [
  /** The model, such as `AMD EPYC 7763 64-Core Processor`. */
  'cpu',
  /** Their sizes by level, of a tool that names no model. */
  'caches',
  /** `2.4 GHz`, of a tool that names no model. */
  'clock',
  /** The number of CPUs that the program could use. */
  'cpus',
  'os',
  'architecture',
  /** `debug` or `release`. */
  'build',
  /** With its version: `JDK 21.0.2`. */
  'runtime',
  'compiler',
  'flags',
  'host',
] as const
export type EnvironmentField = (typeof ENVIRONMENT_FIELDS)[number]

/** The place that one process measured in. What a tool does not say is absent. */
export type Environment = Readonly<Partial<Record<EnvironmentField, string>>>

/** The values of all that was measured of a side. */
export type SideEnvironment = Readonly<Partial<Record<EnvironmentField, readonly string[]>>>

/** Where the two sides of a run's benchmarks were measured. */
export interface Environments {
  /** The rows that it is of: those of this architecture. */
  readonly architecture: string | null
  readonly old: SideEnvironment
  readonly new: SideEnvironment
  /** Fields in which the sides of some benchmark are not of the same values. */
  readonly differing: readonly EnvironmentField[]
}

/**
 * The meaning of a field in which the sides differ. `machine`: nothing can be compared. `change`: it may be the change that is measured, a new
 * compiler for example. `said`: it says nothing by itself.
 */
export type Difference = 'machine' | 'change' | 'said'

const DIFFERENCES: Readonly<Record<EnvironmentField, Difference>> = {
  cpu: 'machine',
  caches: 'machine',
  clock: 'machine',
  cpus: 'machine',
  os: 'change',
  architecture: 'machine',
  build: 'machine',
  runtime: 'change',
  compiler: 'change',
  flags: 'change',
  host: 'said',
}

/** The fields in which the sides differ that mean so much, in the order of `ENVIRONMENT_FIELDS`. */
export function differingFields(environments: Environments, meaning: Difference): readonly EnvironmentField[] {
  return environments.differing.filter((field) => meaningOf(field, environments) === meaning)
}

/** Another version of a system may be the change, another system is another machine. */
function meaningOf(field: EnvironmentField, { old, new: fresh }: Environments): Difference {
  if (field !== 'os') return DIFFERENCES[field]
  const families = (values: readonly string[] = []) => [...new Set(values.map(familyOf))].sort().join()
  return families(old.os) === families(fresh.os) ? 'change' : 'machine'
}

const LINUX = /linux|ubuntu|debian|fedora|red hat|rhel|centos|rocky|alma|alpine|suse|amazon/i

function familyOf(os: string): string {
  if (/^(?:darwin|mac ?os|os x)/i.test(os)) return 'darwin'
  if (/^win/i.test(os)) return 'windows'
  return LINUX.test(os) ? 'linux' : os.toLowerCase()
}

/** The environments whose sides can't be compared. */
export function ofOtherMachines<E extends Environments>(all: readonly E[] = []): readonly E[] {
  return all.filter((one) => differingFields(one, 'machine').length > 0)
}

/** What a reader found of an environment, as its tool writes it. */
export type SaidEnvironment = Readonly<Partial<Record<EnvironmentField, string | number | null | undefined>>>

/** Characters of a value that are kept. */
const LONGEST_VALUE = 300

const ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  x64: 'amd64',
  amd64: 'amd64',
  aarch64: 'arm64',
  arm64: 'arm64',
}

/** What a reader found, in one spelling; null where that is nothing. */
export function environmentOf(said: SaidEnvironment): Environment | null {
  const found = ENVIRONMENT_FIELDS.flatMap((field) => {
    const text = String(said[field] ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, LONGEST_VALUE)
    return text === '' ? [] : [[field, spelled(field, text)] as const]
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}

function spelled(field: EnvironmentField, text: string): string {
  const lower = text.toLowerCase()
  if (field === 'build') return lower
  return field === 'architecture' && Object.hasOwn(ARCHITECTURES, lower) ? ARCHITECTURES[lower]! : text
}

/** The kind of machine, by which a trunk's runs are chosen; null: the tool does not say it. */
export function machineOf({ cpu, cpus, clock }: Environment): string | null {
  if (cpu !== undefined) return cpu
  return cpus === undefined || clock === undefined ? null : `${cpus} CPUs of ${clock}`
}

/** How much the clocks of two machines of one kind may differ, as virtual machines tell them: 2.4 and 2.6 GHz, not 2.4 and 3.5. */
const CLOCK_TOLERANCE = 1.2

/** Fields in which what was measured in the ones and in the others is not of the same values. A field that a side does not say is none. */
export function differingIn(old: SideEnvironment, fresh: SideEnvironment): readonly EnvironmentField[] {
  return ENVIRONMENT_FIELDS.filter((field) => {
    const [before, after] = [old[field], fresh[field]]
    if (before === undefined || after === undefined) return false
    if (field === 'clock') return areOtherClocks([...before, ...after])
    return before.toSorted().join('\n') !== after.toSorted().join('\n')
  })
}

function areOtherClocks(clocks: readonly string[]): boolean {
  const numbers = clocks.map(Number.parseFloat).filter((clock) => clock > 0)
  return numbers.length > 0 && Math.max(...numbers) / Math.min(...numbers) > CLOCK_TOLERANCE
}
