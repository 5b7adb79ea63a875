/**
 * Paths of source files: those in frames of profiles, which a build has made absolute or put a folder in front of, and
 * those of a repository.
 */

/** Endings of source files, so that `a.py:f` is a place and `main.go:12` is, but `std::list.size` is not. */
const SOURCE = new Set(
  'c cc cpp cxx c++ cu h hh hpp hxx inl ipp tpp inc ixx cppm m mm rs go java kt scala cs swift py pyx rb js mjs cjs ts tsx jsx php pl lua zig d nim s S asm'.split(
    ' ',
  ),
)

const LONGEST_PATH = 4096

/** Whether a text is nothing but the path of a source file. */
export function isSourcePath(text: string): boolean {
  if (text === '' || text.length > LONGEST_PATH || /[\s()<>{}"'`|;]/.test(text)) return false
  const extension = extensionOf(text)
  return extension !== null && SOURCE.has(extension)
}

/** The text after the last dot of a file's name; null where it has none. */
export function extensionOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? null : name.slice(dot + 1)
}

/** Folders with code of others, which may well have a file of the same path. */
const VENDORED = /(?:^|\/)(?:contrib|third_party|third-party|vendor|node_modules|external|deps|site-packages)\//

/**
 * Whether the file of a frame is this one of the repository. A relative path must be the same; an absolute one must end
 * with it, folder and all: of two files that share a name only, nobody can tell.
 *
 * Is: `./src/A.cpp`, `/build/./src/A.cpp` and `/home/ci/engine/src/A.cpp` for `src/A.cpp`. Is not: `A.cpp`;
 * `/home/ci/contrib/x/src/A.cpp`.
 */
export function isSameFile(ofFrame: string, ofRepository: string): boolean {
  const path = withoutBuildFolder(ofFrame)
  if (path === ofRepository) return true
  if (!path.startsWith('/') || !ofRepository.includes('/') || !path.endsWith(`/${ofRepository}`)) return false
  return !VENDORED.test(path.slice(0, -ofRepository.length))
}

/** Folders that a package of Python is installed in: what follows is its path in the package, whosever it is. */
const INSTALLED = /^.*\/site-packages\/(?=[^/]+\/)/

/**
 * Whether nothing speaks against it: the same file, or a path of which one has less than the other at its front.
 *
 * May be: `A.cpp` for `src/A.cpp`, `com/x/A.java` for `src/main/java/com/x/A.java`, `/ci/main.py` for `main.py`,
 * `/venv/site-packages/x/a.py` for `src/x/a.py`. Is not: `src/B.cpp`, `/lib/A.cpp` or `/contrib/x/src/A.cpp` for
 * `src/A.cpp`.
 */
export function mayBeFile(ofFrame: string, ofRepository: string): boolean {
  const path = withoutBuildFolder(ofFrame).replace(INSTALLED, '')
  if (isSameFile(path, ofRepository) || ofRepository.endsWith(`/${path}`)) return true
  return !ofRepository.includes('/') && path.endsWith(`/${ofRepository}`) && !VENDORED.test(path)
}

/** Where a build has put its own folder in front, `/./` stands between that and the path in the repository. */
function withoutBuildFolder(ofFrame: string): string {
  const mark = ofFrame.lastIndexOf('/./')
  return (mark === -1 ? ofFrame : ofFrame.slice(mark + 3)).replace(/^(?:\.\/)+/, '')
}
