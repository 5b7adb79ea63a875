/** What is known of a folder with a manifest, and what a tool that is found there needs. */

export interface FoundTool {
  /** A word of artifacts that is no architecture. */
  readonly name: 'go' | 'criterion' | 'vitest' | 'pytest' | 'jmh' | 'cpp'
  /** The file that says so. */
  readonly manifest: string
  /** Arguments of `perf-triage measure`, an option with its value each. */
  readonly measure: readonly string[]
  /** Lines of YAML: the steps between checkout and measuring. */
  readonly steps: readonly string[]
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
  /** What stands beside the manifest and below it, but not below another one of the same name. */
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

/** As one word for `splitWords`. */
export function quoted(text: string): string {
  if (/^[\w./=@%+-]+$/.test(text)) return text
  return text.includes("'") ? `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"` : `'${text}'`
}

/** As a scalar of YAML, in a list or map of one line too. */
export function yamlText(text: string): string {
  return /^[A-Za-z.][\w./ -]*$/.test(text) ? text : JSON.stringify(text)
}
