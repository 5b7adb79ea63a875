import {
  differingFields,
  type EnvironmentField,
  type Environments,
  type SideEnvironment,
} from '../../intake/measurement/environment.ts'
import type { Side } from '../../intake/measurement/run.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import { code, joined, listed, type Phrase, phrase, word } from '../../text/phrase.ts'

/** What differs between the places that the sides were measured in. */

/** Values of a field, or architectures, that are named; more are a number. */
const MOST_NAMED = 3

/**
 * `not comparable: old on `EPYC 9V74`, new on `EPYC 7763`; `JDK 17` → `JDK 21` may be the change`, once
 * for what is so of several architectures; empty where nothing differs.
 */
export function environmentPhrases(all: readonly Environments[] = []): Phrase[] {
  const said = all.flatMap((one) => {
    const words = differingPhrase(one)
    return words === null ? [] : [{ architecture: one.architecture, words, key: JSON.stringify(words) }]
  })
  return [...Map.groupBy(said, ({ key }) => key).values()].map((alike) => {
    const architectures = new Set(alike.flatMap(({ architecture }) => architecture ?? []))
    const isOfAll = alike.length === all.length || architectures.size === 0
    return isOfAll
      ? alike[0]!.words
      : phrase`on ${namedPhrase([...architectures].map((name) => [word(name)]))}: ${alike[0]!.words}`
  })
}

function differingPhrase(environments: Environments): Phrase | null {
  const machine = differingFields(environments, 'machine')
  const change = differingFields(environments, 'change')
  const said = differingFields(environments, 'said')
  const parts = [
    ...(machine.length === 0 ? [] : [phrase`not comparable: ${sidesPhrase(environments, machine)}`]),
    ...(change.length === 0
      ? []
      : [
          phrase`${joined(
            change.map((field) => fromTo(environments, field)),
            ', ',
          )} may be the change`,
        ]),
    ...said.map((field) => phrase`${field} ${fromTo(environments, field)}`),
  ]
  return parts.length === 0 ? null : joined(parts, '; ')
}

/** `old on `EPYC 9V74` with 8 CPUs, new on `EPYC 7763` with 16 CPUs` */
export function sidesPhrase(
  environments: Readonly<Record<Side, SideEnvironment>>,
  fields: readonly EnvironmentField[],
): Phrase {
  const of = (side: Side): Phrase =>
    joined(
      [
        [side],
        ...fields.map((field) =>
          PLACES[field](valuesPhrase(environments[side][field]), environments[side][field]?.[0] === '1'),
        ),
      ],
      ' ',
    )
  return phrase`${of('old')}, ${of('new')}`
}

const on = (values: Phrase) => phrase`on ${values}`
const PLACES: Readonly<Record<EnvironmentField, (values: Phrase, isOne: boolean) => Phrase>> = {
  cpu: on,
  caches: (values) => phrase`with the caches ${values}`,
  clock: (values) => phrase`at ${values}`,
  cpus: (values, isOne) => phrase`with ${values} ${isOne ? 'CPU' : 'CPUs'}`,
  os: on,
  architecture: on,
  build: (values) => phrase`as a ${values} build`,
  runtime: on,
  compiler: (values) => phrase`by ${values}`,
  flags: (values) => phrase`with ${values}`,
  host: on,
}

function fromTo({ old, new: fresh }: Environments, field: EnvironmentField): Phrase {
  return phrase`${valuesPhrase(old[field])} → ${valuesPhrase(fresh[field])}`
}

/** Numbers as they are, what else a tool writes as code. */
function valuesPhrase(values: readonly string[] = []): Phrase {
  return namedPhrase(values.map((value) => (/^\d+$/.test(value) ? [value] : [code(value, NAME_LIMIT)])))
}

function namedPhrase(phrases: readonly Phrase[]): Phrase {
  const more = phrases.length - MOST_NAMED
  return listed(more > 0 ? [...phrases.slice(0, MOST_NAMED), [`${count(more)} more`]] : phrases)
}
