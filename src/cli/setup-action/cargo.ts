import { inFolder, type Measuring, type Place, quoted } from './place.ts'
import { stringIn, tablesOf } from './toml.ts'

/** Criterion: only the benchmarks that Cargo.toml names, since the harness of Rust's own tests fails on criterion's arguments. */
export async function cargoTool({ manifest, folder, paths, read }: Place): Promise<Measuring | null> {
  const tables = tablesOf(await read(manifest))
  const isCriterion = tables.some(
    ({ name, text }) =>
      /dependencies\.(?:codspeed-)?criterion/.test(name) ||
      (/dependencies$/.test(name) && /^\s*(?:codspeed-)?criterion\S*\s*[=.]/m.test(text)),
  )
  const own = tables.filter(({ name, text }) => name === 'bench' && /^\s*harness\s*=\s*false/m.test(text))
  const benches = own.flatMap((table) => stringIn(table, 'name') ?? [])
  if (!isCriterion || benches.length === 0) return null
  const crate = stringIn(tables.find(({ name }) => name === 'package') ?? tables[0]!, 'name')
  const isMember = folder !== '' && paths.includes('Cargo.toml') && crate !== null
  const selected = [...(isMember ? [`-p ${crate}`] : []), ...benches.map((name) => `--bench ${name}`)].join(' ')
  const measure = [...(isMember ? [] : inFolder(folder)), `--criterion=${quoted(selected)}`]
  return { measure, steps: [] }
}
