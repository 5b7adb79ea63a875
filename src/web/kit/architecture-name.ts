import { plainText } from '../../text/markdown.ts'

/** The name of an architecture where a sentence needs one. */
export function architectureName(architecture: string | null): string {
  return architecture === null ? 'the unnamed architecture' : plainText(architecture, 40)
}

/** ` on arm`; nothing where the source names none: there is only one then, in all but the oddest of runs. */
export function onArchitecture(architecture: string | null): string {
  return architecture === null ? '' : ` on ${architectureName(architecture)}`
}
