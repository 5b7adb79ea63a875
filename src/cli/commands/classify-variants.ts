import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { countedRows, countOutcomes } from '../../judge/verdict/classified-query.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { RESULT_COLUMNS } from '../../report/row/columns.ts'
import { type ComparedVariant, together, type VariantsReport } from '../../report/variants.ts'
import { ofPart } from '../../text/table.ts'
import { type FormOptions, printWarnings } from './classify-table.ts'
import { type CommandIO, InputError, printJson } from './command.ts'
import {
  failOnCode,
  isQueryLog,
  type QueryLogCommandOptions,
  type RunOptions,
  readRunInput,
  selectMetric,
  thresholdsGiven,
} from './run-input.ts'
import { formOf, printTsv } from './table.ts'
import { plainText } from './terminal-text.ts'
import { variantsTable } from './variants-table.ts'

/** `--variant` of `classify` and `comment`: its files, and the comparison of each variant with the first. */

export interface VariantOptions {
  /** `NAME=FILE`, and further files of it. */
  readonly variant?: readonly string[]
}

/** Files of one variant of what was measured. */
export interface Variant {
  readonly name: string
  readonly files: readonly string[]
}

/** More of them than a table has room for, and each is compared with the first. */
const MOST_VARIANTS = 20

/** `['8K=a.json', 'b.json', '1M=c.json']`: a name begins a variant, and files without one go on with it. */
export function variantsOf(words: readonly string[]): readonly Variant[] {
  const variants: { readonly name: string; readonly files: string[] }[] = []
  for (const word of words) {
    const [, name, file] = /^([^=/\\]+)=(.+)$/.exec(word) ?? []
    if (name !== undefined && file !== undefined) {
      if (variants.some((variant) => variant.name === name))
        throw new InputError(`two variants are named ${plainText(name)}`)
      variants.push({ name, files: [file] })
    } else if (variants.length === 0) {
      throw new InputError(`--variant ${word}: start with a name, as in --variant NAME=FILE…`)
    } else {
      variants.at(-1)!.files.push(word)
    }
  }
  if (variants.length < 2) throw new InputError('one variant alone can’t be compared: give --variant at least twice')
  if (variants.length > MOST_VARIANTS)
    throw new InputError(`${variants.length} variants, but one table compares at most ${MOST_VARIANTS}`)
  return variants
}

/** Files of a pattern; more are a mistake. */
const MOST_FILES = 1000

/** A shell leaves `EBS=m6i-*.json` as it is: the files are found here. Throws `InputError` where there are none. */
async function filesOf({ name, files }: Variant): Promise<string[]> {
  const found: string[] = []
  for (const file of files) {
    if (!file.includes('*') || existsSync(file)) {
      found.push(file)
      continue
    }
    const matching: string[] = []
    for await (const match of glob(file)) {
      matching.push(match)
      if (matching.length > MOST_FILES) throw new InputError(`${file}: more than ${MOST_FILES} files`)
    }
    if (matching.length === 0) throw new InputError(`${file}: there is no such file (of the variant ${name})`)
    found.push(...matching.toSorted())
  }
  return found
}

/** Reads the files of each variant, and compares it with the first. */
export async function compareVariants(
  words: readonly string[],
  options: RunOptions,
  io: CommandIO,
): Promise<VariantsReport> {
  const [reference, ...others] = variantsOf(words)
  const old = await filesOf(reference!)
  const variants: ComparedVariant[] = []
  for (const variant of others) {
    const contents = await readRunInput([], { ...options, old, new: await filesOf(variant) }, io)
    const { measurements, counted } = selectMetric(contents, options.metric)
    const queries = classify(measurements, thresholdsGiven(options))
    const counts = countOutcomes(countedRows(queries, counted))
    const { labels, warnings } = contents
    variants.push({ name: variant.name, labels, counted, counts, queries, warnings })
  }
  return { reference: reference!.name, variants }
}

/** Throws `InputError` where a run is named in another way as well. */
export function onlyVariants(paths: readonly string[], options: QueryLogCommandOptions): void {
  if (isQueryLog(options))
    throw new InputError(
      '--variant is for one set of files per variant; for a query log, give --side FIELD=FIRST,SECOND,THIRD',
    )
  const { old = [], new: fresh = [] } = options
  if (paths.length + old.length + fresh.length > 0)
    throw new InputError('give either --variant, or PATH, or --old and --new')
}

/** Each variant against the first, in one table. */
export async function classifyVariants(
  words: readonly string[],
  options: RunOptions & FormOptions,
  io: CommandIO,
): Promise<number> {
  const form = formOf(options, 'table')
  const report = await compareVariants(words, options, io)
  if (options.json) {
    const variants = report.variants.map(({ counted: metric, ...variant }) => ({ ...variant, metric }))
    printJson({ reference: report.reference, variants }, io)
  } else if (form === 'tsv') {
    printVariants(report, io)
  } else {
    io.stdout.write(`${variantsTable(report, options.all ?? false, io).join('\n')}\n`)
  }
  return failOnCode('classify', { ...together(report), failOn: options.failOn }, io)
}

function printVariants(report: VariantsReport, io: CommandIO): void {
  const rows = report.variants.flatMap(({ name, queries }) => queries.map((query) => ({ name, query })))
  const variant = { key: 'variant', value: ({ name }: (typeof rows)[number]) => name }
  printTsv([...ofPart(RESULT_COLUMNS, ({ query }: (typeof rows)[number]) => query), variant], rows, io)
  printWarnings(together(report).warnings, io)
}
