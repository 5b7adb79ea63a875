/** A folder with a manifest, and the steps and arguments with which its benchmarks are measured. */

export interface Measuring {
  /** Arguments of `perf-triage measure`, an option with its value each. */
  readonly measure: readonly string[]
  /** Lines of YAML: the steps between checkout and measuring. */
  readonly steps: readonly string[]
}

export interface FoundTool extends Measuring {
  /** A word of artifacts that is no architecture. */
  readonly name: 'go' | 'criterion' | 'vitest' | 'pytest' | 'jmh' | 'cpp'
  /** The file that it was found by. */
  readonly manifest: string
}

export interface Files {
  /** Of the repository, from its root; without what git ignores. */
  readonly paths: readonly string[]
  /** The text of one of them. */
  readonly read: (path: string) => Promise<string>
}

/** A manifest, with what lies in its folder. */
export interface Place extends Files {
  readonly manifest: string
  /** `''` is the root, else `sub/folder/`. */
  readonly folder: string
  /** Files beside the manifest and below it, but not below another one of the same name. */
  readonly below: readonly string[]
}

/** The first files that hold the text, so many at most. */
export async function filesWith(
  text: RegExp,
  paths: readonly string[],
  read: Files['read'],
  most: number,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) {
    if (found.length >= most) break
    if (text.test(await read(path))) found.push(path)
  }
  return found
}

export function inFolder(folder: string): readonly string[] {
  return folder === '' ? [] : [`--directory ${quoted(folder.replace(/\/$/, ''))}`]
}

/** A text as one word for `splitWords`, in the quotes that are easiest to read. */
export function quoted(text: string): string {
  if (/^[\w./=@%+-]+$/.test(text)) return text
  return text.includes("'") ? `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"` : `'${text}'`
}

/** A text as a scalar of YAML, in a list or map of one line too. */
export function yamlText(text: string): string {
  return /^[A-Za-z.][\w./ -]*$/.test(text) ? text : JSON.stringify(text)
}
