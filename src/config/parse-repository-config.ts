import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  YAMLParseError,
} from 'yaml'
import { z } from 'zod'
import { MOST_ACCEPTED } from '../judge/verdict/test-entries.ts'
import { closestName } from '../text/closest-name.ts'
import { keptConfigSchema, type RepositoryConfig, repositoryConfigSchema } from './repository-config.ts'

/** One thing that is wrong with the file, fit to be an annotation on its line. */
export interface ConfigProblem {
  /** A sentence: what is wrong and what would be right. Holds text from the file. */
  readonly message: string
  /** `thresholds.changed`, `results[0].url`; empty for the file as a whole. */
  readonly path: string
  /** 1-based, of the value; of the nearest key where there is no value. */
  readonly line: number
  readonly column: number
}

export type ParsedConfig =
  | { readonly config: RepositoryConfig; readonly problems: readonly [] }
  | { readonly config: null; readonly problems: readonly ConfigProblem[] }

/** A configuration is a page of text; what is larger is not read at all. */
const LARGEST_CONFIG = 32 * 1024

/** Aliases that a person would write by hand; more of them multiply. */
const MOST_ALIASES = 20

/** GitHub takes 50 annotations in one request. */
const MOST_PROBLEMS = 50

/** The library's own search for keys that stand twice takes two seconds for the 8,000 that 32 KiB hold: it compares each with all. */
const YAML_OPTIONS = { version: '1.2', schema: 'core', prettyErrors: false, uniqueKeys: false } as const

/** The document and what is wrong with its syntax, in the order of the text. Throws where it is nested too deeply. */
function readYaml(text: string, lineCounter?: LineCounter) {
  const document = parseDocument(text, { ...YAML_OPTIONS, ...(lineCounter && { lineCounter }) })
  const broken = [...document.errors, ...document.warnings, ...repeatedKeys(document)]
  return { document, broken: broken.toSorted((a, b) => a.pos[0] - b.pos[0]) }
}

function repeatedKeys(document: Document.Parsed): readonly YAMLParseError[] {
  const repeated: YAMLParseError[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const [start = 0, end = 0] = key.range ?? []
        if (seen.has(key.value))
          repeated.push(new YAMLParseError([start, end], 'DUPLICATE_KEY', 'Map keys must be unique'))
        seen.add(key.value)
      }
    },
  })
  return repeated
}

/** Reads `.github/perf-triage.yml`. An empty file is the default configuration. Never throws. */
export function parseRepositoryConfig(yamlText: string | null): ParsedConfig {
  return parsed(yamlText, repositoryConfigSchema)
}

/** The configuration in a file that was kept; null where this version can't read its keys. */
export function parseKeptConfig(yamlText: string): RepositoryConfig | null {
  return parsed(yamlText, keptConfigSchema).config
}

function parsed(yamlText: string | null, schema: typeof repositoryConfigSchema): ParsedConfig {
  if (yamlText === null) return refused([atStart('This is not a text file, so it was not read.')])
  if (yamlText.length > LARGEST_CONFIG) {
    return refused([atStart(`The file is longer than ${LARGEST_CONFIG / 1024} KiB, so it was not read.`)])
  }
  const lines = new LineCounter()
  let document: Document.Parsed
  let value: unknown
  try {
    const read = readYaml(yamlText, lines)
    document = read.document
    const { broken } = read
    if (broken.length > 0) return refused(syntaxProblems(broken, lines))
    value = document.toJS({ maxAliasCount: MOST_ALIASES }) ?? {}
  } catch {
    return refused([atStart('The file was not read: it repeats aliases too often or is nested too deeply.')])
  }

  const result = schema.safeParse(value)
  if (result.success) return { config: result.data, problems: [] }
  return refused(
    result.error.issues.slice(0, MOST_PROBLEMS).flatMap((issue) =>
      problemsOf(issue, value).map(({ message, path }) => ({
        message,
        path: pathText(path),
        ...placeOf(lines, offsetOf(document, path, issue.code !== 'unrecognized_keys')),
      })),
    ),
  )
}

/**
 * The mode of a repository whose file can't be used. It gates unless the file can be read as asking for no gate: its `mode` is
 * `advisory` or `shadow`, or it has none, is whole YAML and does not speak of a gate anywhere. A mistake must not open one.
 *
 * Gates: `mode: Gating`, `mod: gating`, `mode: [`, a file that is too large. Does not: `mode: advisory` beside other mistakes.
 */
export function modeAsWritten(yamlText: string | null): RepositoryConfig['mode'] {
  if (yamlText === null || yamlText.length > LARGEST_CONFIG) return 'gating'
  const { mode, isWhole } = modeOf(yamlText)
  if (mode !== undefined) {
    const word = typeof mode === 'string' ? mode.trim().toLowerCase() : ''
    return word === 'advisory' || word === 'shadow' ? word : 'gating'
  }
  return !isWhole || /gat(?:e|ing)/i.test(yamlText.replaceAll(/(?:^|\s)#.*$/gm, '')) ? 'gating' : 'advisory'
}

/** `mode` is undefined where it is not there; YAML reads it also beside mistakes. */
function modeOf(yamlText: string): { readonly mode: unknown; readonly isWhole: boolean } {
  try {
    const { document, broken } = readYaml(yamlText)
    const { contents } = document
    const isWhole = broken.every(({ name }) => name !== 'YAMLParseError') && (isMap(contents) || contents === null)
    return { mode: isMap(contents) ? (contents.get('mode') ?? undefined) : undefined, isWhole }
  } catch {
    return { mode: undefined, isWhole: false }
  }
}

function refused(problems: readonly ConfigProblem[]): ParsedConfig {
  const inOrder = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { config: null, problems: inOrder.slice(0, MOST_PROBLEMS) }
}

/** The first mistake in the syntax breaks the rest: what follows it helps nobody. */
const MOST_SYNTAX_PROBLEMS = 3

function syntaxProblems(broken: ReturnType<typeof readYaml>['broken'], lines: LineCounter): ConfigProblem[] {
  const problems = broken.map(({ message, pos: [offset] }) => ({
    message: `This is not valid YAML: ${message.replaceAll(/\s+/g, ' ').replace(/\.$/, '')}.`,
    path: '',
    ...placeOf(lines, offset),
  }))
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()].slice(0, MOST_SYNTAX_PROBLEMS)
}

function atStart(message: string): ConfigProblem {
  return { message, path: '', line: 1, column: 1 }
}

type Path = readonly PropertyKey[]

/** Several unknown keys in one map are one issue of zod's and several problems. */
function problemsOf(issue: z.core.$ZodIssue, root: unknown): { readonly message: string; readonly path: Path }[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path)
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => ({
      message: `There is no key "${clipped(key)}" here.${hint(key, known)}`,
      path: [...issue.path, key],
    }))
  }
  const subject = issue.path.length === 0 ? 'The file' : `"${pathText(issue.path)}"`
  const value = valueAt(root, issue.path)
  const meant = issue.code === 'invalid_value' && typeof value === 'string' ? hint(value, issue.values.map(String)) : ''
  return [{ message: `${subject} ${complaint(issue, value)}.${meant}`, path: issue.path }]
}

function hint(name: string, known: readonly string[]): string {
  const meant = closestName(name, known)
  return meant === null ? '' : ` Did you mean "${meant}"?`
}

function complaint(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined && issue.code === 'invalid_type') return 'is missing'
  if (isThreshold(issue.path)) return fractionComplaint(value, 'from 0 to less than 1', (number) => number < 1)
  if (isAccepted(issue.path)) {
    const isTaken = (number: number) => number > 0 && number <= MOST_ACCEPTED
    return fractionComplaint(value, `more than 0 and at most ${MOST_ACCEPTED}`, isTaken)
  }
  if (issue.code === 'invalid_type') {
    return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}, but is ${kindOf(value)}${asList(issue.path, value)}`
  }
  if (issue.code === 'invalid_value') {
    return `must be one of ${issue.values.map(String).join(', ')}, but is ${kindOf(value)}`
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty'
    if (issue.origin === 'array') return 'must have at least one entry'
    return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}, but is ${kindOf(value)}`
  }
  if (issue.code === 'too_big') {
    if (issue.origin === 'string') return `must be at most ${issue.maximum} characters long`
    if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`
    return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}, but is ${kindOf(value)}`
  }
  // The sentences of our own rules.
  return issue.message
}

/** `: write checks: ["Performance *"]` for a text in the place of a list of texts. */
function asList(path: Path, value: unknown): string {
  if (typeof value !== 'string' || value !== clipped(value) || schemaAt(path).items?.type !== 'string') return ''
  return `: write ${String(path.at(-1))}: [${JSON.stringify(value)}]`
}

function isThreshold(path: Path): boolean {
  if (path[0] === 'tests') return path.length === 3 && path[2] === 'threshold'
  return path.length === 2 && path[0] === 'thresholds'
}

function isAccepted(path: Path): boolean {
  return path[0] === 'tests' && path.length === 3 && path[2] === 'accepted'
}

/** The likely mistake is a percentage. */
function fractionComplaint(value: unknown, range: string, isTaken: (number: number) => boolean): string {
  const rule = `is a fraction of the old median, ${range}`
  const percent = typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*%?\s*$/.exec(value)?.[1] : value
  const number = Number(percent)
  if ((typeof percent !== 'string' && typeof percent !== 'number') || !(number >= 1 && isTaken(number / 100)))
    return rule
  return `${rule}: for ${number}% write ${Number((number / 100).toPrecision(6))}`
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty (remove the key to use the default)'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `the text "${clipped(value)}"`
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

function clipped(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** The keys that a map at this path may have, from the schema itself. */
function knownKeys(path: Path): string[] {
  return Object.keys(schemaAt(path).properties ?? {})
}

type SchemaPart = Omit<z.core.JSONSchema.BaseSchema, 'items'> & { readonly items?: z.core.JSONSchema.BaseSchema }

let jsonSchema: z.core.JSONSchema.BaseSchema | undefined

function schemaAt(path: Path): SchemaPart {
  jsonSchema ??= z.toJSONSchema(repositoryConfigSchema, { io: 'input' })
  let part: z.core.JSONSchema.BaseSchema = jsonSchema
  for (const key of path) part = (part.properties?.[String(key)] ?? part.items ?? {}) as z.core.JSONSchema.BaseSchema
  return part as SchemaPart
}

function pathText(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${clipped(String(key))}`))
    .join('')
    .replace(/^\./, '')
}

/**
 * Where the value of a path stands; of a map, a list or nothing its key; where there is no key, the nearest above.
 * `atValue` false asks for the key.
 */
function offsetOf(document: Document.Parsed, path: Path, atValue: boolean): number {
  let node: unknown = document.contents
  let offset = startOf(document.contents) ?? 0
  for (const [depth, key] of path.entries()) {
    const isLast = depth === path.length - 1
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      if (pair === undefined) return offset
      node = pair.value
      const value = atValue && isLast && isScalar(node) && node.source !== '' ? startOf(node) : null
      offset = value ?? startOf(pair.key as Node) ?? offset
    } else if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = startOf(node as Node | undefined) ?? offset
    } else {
      return offset
    }
  }
  return offset
}

function startOf(node: Node | null | undefined): number | null {
  return node?.range?.[0] ?? null
}

function placeOf(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}
