import { functionName } from './function-name.ts'
import { isHeader, languageOf, type SourceLanguage } from './source-language.ts'

/** A file that a pull request changes, as GitHub tells of it. */
export interface PatchedFile {
  readonly path: string
  /** The name that a renamed file had. */
  readonly previousPath?: string
  /** The file's unified diff, hunks only; null where GitHub gives none (too large, binary) or it was not kept. */
  readonly patch: string | null
}

export interface ChangedFunction {
  /**
   * The function's name as `functionName` gives it, with as much of what it is in as the diff shows:
   * `Aggregator::executeImpl`.
   */
  readonly name: string
  readonly file: string
  /** The name that the file had, where it was renamed. */
  readonly earlierFile?: string
}

/** The functions that a pull request changes, and the changes that nobody can tell from its diff. */
export interface ChangedFunctions {
  readonly functions: readonly ChangedFunction[]
  /**
   * Every changed file that can reach the binary, the earlier names of renamed files among them. Not those of which nothing
   * but comments and empty lines is changed.
   */
  readonly files: readonly string[]
  /** Changed lines whose function can't be told, counted by hunk: file level, a class whose method is out of sight. */
  readonly unknownHunks: number
  /** Files without a diff, or in a language of which nothing is known here. */
  readonly unknownFiles: readonly string[]
  /**
   * Files where what changed may be compiled into functions of other files: headers, templates, macros, `inline`, and all
   * of languages that do so with whatever is small or hot.
   */
  readonly inlinable: readonly string[]
  /** GitHub lists no more files than this: there may be others. */
  readonly isCut: boolean
}

/** `reaches`: whether a change of this path can change the binary. */
export function changedFunctions(
  files: readonly PatchedFile[],
  isCut: boolean,
  reaches: (path: string) => boolean,
): ChangedFunctions {
  const functions: ChangedFunction[] = []
  const unknownFiles: string[] = []
  const inlinable: string[] = []
  const paths: string[] = []
  let unknownHunks = 0
  for (const { path, previousPath, patch } of files) {
    const reaching = [path, ...(previousPath === undefined ? [] : [previousPath])].filter(reaches)
    if (reaching.length === 0) continue
    if (isHeader(path)) inlinable.push(path)
    const language = languageOf(path)
    if (language === null || patch === null) {
      paths.push(...reaching)
      unknownFiles.push(path)
      continue
    }
    const found = functionsOfPatch(patch, language)
    if (found.changesCode) paths.push(...reaching)
    const earlier = previousPath === undefined ? {} : { earlierFile: previousPath }
    for (const name of found.names) functions.push({ name, file: path, ...earlier })
    unknownHunks += found.unknownHunks
    const isInlinable = found.isInlinable || (language.inlinesFreely && found.changesCode)
    if (isInlinable && !isHeader(path)) inlinable.push(path)
  }
  return { functions, files: paths, unknownHunks, unknownFiles, inlinable, isCut }
}

export interface PatchFunctions {
  /** Each once, in the order of the diff. */
  readonly names: readonly string[]
  readonly unknownHunks: number
  readonly isInlinable: boolean
  /** Something else than comments and empty lines. */
  readonly changesCode: boolean
}

/** The functions that one file's diff changes. Never throws, whatever the text is. */
export function functionsOfPatch(patch: string, language: SourceLanguage): PatchFunctions {
  const names = new Set<string>()
  let unknownHunks = 0
  let isInlinable = false
  let changesCode = false
  let hunk: Hunk | null = null
  const close = () => {
    if (hunk?.isUnknown()) unknownHunks += 1
    if (hunk?.isInlinable) isInlinable = true
    if (hunk?.changesCode) changesCode = true
  }
  for (const line of patch.split('\n')) {
    const head = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$/.exec(line)
    if (head !== null) {
      close()
      hunk = new Hunk(language, names, head[1]!)
    } else {
      hunk?.read(line)
    }
  }
  close()
  // text that is no diff has changed something all the same
  if (hunk === null) return { names: [], unknownHunks: 1, isInlinable, changesCode: true }
  return { names: [...names], unknownHunks, isInlinable, changesCode }
}

/** The surroundings of a line: a function, or something that has functions in it. */
interface Scope {
  readonly indent: number
  readonly function: string | null
  readonly container: readonly string[]
  readonly inlines: boolean
}

/** Lines of one hunk, read from the first to the last: old and new ones alike, since either tells which function it is. */
class Hunk {
  readonly #language: SourceLanguage
  readonly #names: Set<string>
  readonly #scopes: Scope[] = []
  /** A changed line that stands before the definition it belongs to: `template <typename T>`, a return type, `@Override`. */
  #isPending = false
  /** The same, changed or not, says that the function is compiled into others. */
  #pendingInlines = false
  #isUnknown = false
  #isInComment = false
  isInlinable = false
  changesCode = false

  constructor(language: SourceLanguage, names: Set<string>, context: string) {
    this.#language = language
    this.#names = names
    // the last line before the hunk that is not indented, which the first lines of the hunk may be inside of
    if (context.trim() !== '') this.#enter(context.trim(), 0)
  }

  isUnknown(): boolean {
    return this.#isUnknown || this.#isPending
  }

  read(line: string): void {
    const marker = line[0]
    if (marker !== '+' && marker !== '-' && marker !== ' ') return
    const isChanged = marker !== ' '
    const indent = indentOf(line)
    const text = line.slice(1, LONGEST_LINE).trim()
    if (text === '' || this.#isComment(text)) return
    if (isChanged) this.changesCode = true
    if (this.#language.noCode?.test(text)) return
    this.#leave(text, indent)
    const entered = this.#scope()?.function == null && this.#enter(text, indent)
    const scope = this.#scope()
    if (isChanged) this.#changed(text, scope)
    if (entered && scope?.function != null) {
      this.#isPending = false
      this.#pendingInlines = false
    }
    if (this.#closes(text, indent)) this.#scopes.pop()
  }

  #scope(): Scope | undefined {
    return this.#scopes.at(-1)
  }

  #changed(text: string, scope: Scope | undefined): void {
    if (this.#language.inlines?.test(text)) this.isInlinable = true
    if (scope?.function != null) {
      this.#names.add(scope.function)
      if (scope.inlines) this.isInlinable = true
    } else if (isPrefix(text)) {
      this.#isPending = true
    } else {
      this.#isUnknown = true
    }
  }

  /** Goes out of what a line as far left as this one can't be inside of. */
  #leave(text: string, indent: number): void {
    const isPart = this.#language.isIndented ? /^[)\]}]/.test(text) : /^(?:[{})\]#:]|\w+:(?!:))/.test(text)
    for (let scope = this.#scope(); scope !== undefined; scope = this.#scope()) {
      if (indent > scope.indent || (indent === scope.indent && isPart)) return
      this.#scopes.pop()
    }
  }

  #enter(text: string, indent: number): boolean {
    if (this.#language.inlines?.test(text)) this.#pendingInlines = true
    const around = this.#scopes.flatMap(({ container }) => container)
    const parts = this.#language.definition(text, around.at(-1) ?? null)
    if (parts !== null) {
      const all = around.length > 1 ? [...around.slice(0, -1), ...parts] : parts
      const name = functionName(all.join('::'))
      if (name !== null) {
        if (this.#isPending) this.#names.add(name)
        if (this.#isPending && this.#pendingInlines) this.isInlinable = true
        this.#scopes.push({
          indent,
          function: name,
          container: [],
          inlines: this.#pendingInlines || /<.*>::/.test(text),
        })
        return true
      }
    }
    const container = this.#language.container(text)
    if (container === null) {
      if (!isPrefix(text)) this.#pendingInlines = false
      return false
    }
    this.#pendingInlines = false
    this.#scopes.push({ indent, function: null, container, inlines: false })
    return true
  }

  /** The line ends what it is in: its closing bracket, or all of it in one line. */
  #closes(text: string, indent: number): boolean {
    const scope = this.#scope()
    if (scope === undefined || this.#language.isIndented || indent !== scope.indent) return false
    return /^\}/.test(text) ? !/\{$/.test(text) : /\}\s*;?$/.test(text) || /=\s*(?:default|delete)\s*;$/.test(text)
  }

  #isComment(text: string): boolean {
    if (this.#isInComment) {
      this.#isInComment = !text.includes('*/')
      return true
    }
    if (this.#language.comment.test(text)) return true
    if (!this.#language.isIndented && text.startsWith('/*') && !text.includes('*/')) {
      this.#isInComment = true
      return true
    }
    // the middle of a comment that began above the hunk; inside a function it may be a product
    return !this.#language.isIndented && /^\*(?:[\s/]|$)/.test(text) && this.#scope()?.function == null
  }
}

/** A line of its own before the definition that it belongs to: a template, an annotation or a return type. */
function isPrefix(text: string): boolean {
  return (
    /^(?:template\b.*>|requires\b.*|@\w+.*|#\[.*\]|\[\[.*\]\])$/.test(text) ||
    /^(?!(?:public|private|protected)\b)[\w:<>*&,\s]*[\w>*&]$/.test(text)
  )
}

const TAB = 4

/** Characters of a line that are read: text further right defines nothing. */
const LONGEST_LINE = 2000

function indentOf(line: string): number {
  let indent = 0
  for (let at = 1; at < line.length; at += 1) {
    if (line[at] === ' ') indent += 1
    else if (line[at] === '\t') indent += TAB
    else break
  }
  return indent
}
