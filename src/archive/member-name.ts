/**
 * Why a name from an archive is refused, or null. Nothing is ever written under such a name; an archive that holds one
 * was made to deceive, though, and a person would be told a path that is not there.
 */
export function refusedName(name: string): string | null {
  if (name === '' || name.includes('\0')) return 'its name is empty or holds a NUL'
  if (name.startsWith('/') || /^[a-zA-Z]:/.test(name)) return 'its name is an absolute path'
  if (name.split(/[/\\]/).includes('..')) return 'its name leads out of the archive'
  return null
}

/** `a/b` for `./a//b/`. */
export function normalName(name: string): string {
  return name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
