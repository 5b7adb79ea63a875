import { SaxesParser } from 'saxes'
import type { EnvironmentField, SaidEnvironment } from '../environment.ts'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'

/** PHPBench's times are microseconds. */
const MICRO = -6

const DEEPEST = 64

type Attributes = Readonly<Record<string, string>>

/** Where the parser is: what the elements around it say. */
interface Place {
  test: string
  subject: string
  revolutions: string
  /** The executor `remote`, which is the default, starts a process for each iteration. */
  isRemote: boolean
  /** The set of parameters; null: there are none. */
  set: string | null
}

export function phpbenchDump(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context)
  const place: Place = { test: 'phpbench', subject: '', revolutions: '', isRemote: true, set: null }
  let unnamed: string | null = null
  // what was thrown in the variant, until its words are read
  let error: string | null = null
  let depth = 0
  let [inside, part, valueName] = ['', '', '']
  const environment: SaidEnvironment = {}
  const parser = new SaxesParser({ xmlns: false, position: true })
  parser.on('error', (error) => {
    throw new MemberError(`this is not XML: ${error.message.slice(0, 200)}`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > DEEPEST) throw new MemberError(`it has more than ${DEEPEST} nested elements`)
    const own = attributes as Attributes
    inside = name
    if (name === 'value') valueName = own['name'] ?? ''
    else part = name
    if (name === 'benchmark') place.test = own['class']?.replace(/^\\/, '') || 'phpbench'
    else if (name === 'subject') Object.assign(place, { subject: own['name'] ?? '', isRemote: true })
    else if (name === 'executor') place.isRemote = own['name'] !== 'local'
    else if (name === 'variant') {
      place.revolutions = own['revs'] ?? ''
      place.set = null
    } else if (name === 'parameter-set') {
      // without parameters there is a set all the same, of the name 0
      unnamed = own['name'] ?? null
      place.set = unnamed === '' || unnamed === '0' ? null : unnamed
    } else if (name === 'parameter' && unnamed === '0') place.set = unnamed
    else if (name === 'iteration') iteration(benchmarks, place, own)
    else if (name === 'error') error = own['exception-class'] ?? ''
  })
  parser.on('text', (said) => {
    if (inside === 'error' && error !== null) error = `${error}: ${said}`.slice(0, 1000)
    const field = inside === 'value' ? ENVIRONMENT.get(`${part} ${valueName}`) : undefined
    if (field !== undefined)
      benchmarks.in(Object.assign(environment, { [field]: field === 'runtime' ? `PHP ${said}` : said }))
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    if (name === 'error' && error !== null) {
      const why = error === '' ? '' : `: ${error.replaceAll(/\s+/g, ' ').slice(0, 200)}`
      benchmarks.failedRuns({ ...idOf(place), metric: 'time', unit: 's' }, { failed: 1, of: null, why })
      error = null
    }
    inside = ''
    if (name === 'parameter-set') unnamed = null
  })
  parser.write(text).close()
  return benchmarks.contribution('iteration of PHPBench')
}

/** Values of parts of its `env`, by their names. */
const ENVIRONMENT: ReadonlyMap<string, EnvironmentField> = new Map([
  ['uname os', 'os'],
  ['uname machine', 'architecture'],
  ['uname host', 'host'],
  ['php version', 'runtime'],
])

function idOf({ test, subject, set }: Place): Pick<Benchmark, 'test' | 'name'> {
  return { test, name: set === null ? subject : `${subject} # ${set}` }
}

function iteration(benchmarks: Benchmarks, place: Place, own: Attributes): void {
  const id = idOf(place)
  if (place.isRemote) benchmarks.beginProcess()
  const time = parseShifted(own['time-avg'] ?? own['rev-time'] ?? '', MICRO) ?? timeOfAll(place, own)
  if (time === null) benchmarks.warn(`an iteration of ${place.subject.slice(0, 100)} has no time`)
  else benchmarks.sample({ ...id, metric: 'time', unit: 's' }, time)
  const bytes = parseShifted(own['mem-peak'] ?? '', 0)
  if (bytes !== null) benchmarks.sample({ ...id, metric: 'bytes', unit: 'bytes' }, bytes)
}

/** The time of all revolutions, where their mean is not there. */
function timeOfAll({ revolutions }: Place, own: Attributes): number | null {
  const [all, count] = [parseShifted(own['time-net'] ?? '', MICRO), Number(own['time-revs'] ?? revolutions)]
  return all !== null && count > 0 ? all / count : null
}
