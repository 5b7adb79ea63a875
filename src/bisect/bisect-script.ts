import type { BisectWindow } from './window.ts'

export interface BisectScriptOptions {
  /** An address with `{sha}` where builds of single commits are; null where none is known. */
  readonly buildLink: string | null
  /** Passes over commits that can't change the binary. Default: builds them where git asks for it. */
  readonly skipInert?: boolean
}

/** What a build's address may hold. */
const SHA_PLACEHOLDER = '{sha}'

/** Commits written into one `git bisect skip`: thousands would not fit into a command line. */
const SKIPPED_AT_ONCE = 100

/**
 * A shell script (POSIX) that bisects the window with `git bisect run`, for a person to read, complete and start inside a
 * clone. Only commit ids, which are checked to be hexadecimal, and `buildLink`, in single quotes, come from outside; no
 * title, test name or query text is in it.
 *
 * Throws a RangeError where an end of the window is no commit id, or `buildLink` no http(s) address with `{sha}` alone.
 */
export function bisectScript(window: BisectWindow, { buildLink, skipInert = false }: BisectScriptOptions): string {
  const good = checkedCommit(window.step.lastGood.commit)
  const bad = checkedCommit(window.step.firstBad.commit)
  const repetitions = window.plan[0]?.repetitions ?? null
  const lines = [
    '#!/bin/sh',
    '# Finds the commit that brought a step on the trunk. Start it inside a clone, and save your work before:',
    '# git bisect checks out one commit after another. `git bisect reset` brings you back.',
    'set -eu',
    '',
    `good=${good}`,
    `bad=${bad}`,
    '',
    '# Both ends were measured, not proven: build and measure them once before you trust the rest.',
    'git bisect start --first-parent "$bad" "$good"',
    ...(skipInert ? skipLines(window) : []),
    '',
    "git bisect run sh -eu -c '",
    '  commit=$(git rev-parse HEAD)',
    ...buildLines(buildLink),
    '',
    '  # 1. Get the build of $commit. 125 tells git that this commit can not be tested:',
    '  # ./build || exit 125',
    '',
    repetitionsLine(repetitions),
    '  # 0 tells git that it is at the level of the last good one, 1 that it is at that of the first bad one:',
    '  # if ./measure "$commit"; then exit 0; else exit 1; fi',
    '',
    '  echo "complete this script first: it builds and measures nothing yet" >&2',
    '  exit 128',
    "'",
    'git bisect reset',
  ]
  return `${lines.join('\n')}\n`
}

function checkedCommit(commit: string): string {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw new RangeError(`${JSON.stringify(commit.slice(0, 80))} is not a full commit id`)
  }
  return commit
}

function skipLines({ commits, functional }: BisectWindow): string[] {
  const kept = new Set(functional.map(({ sha }) => sha))
  const inert = (commits?.listed ?? []).filter(({ sha }) => !kept.has(sha)).map(({ sha }) => checkedCommit(sha))
  const lines = inert.length === 0 ? [] : ['', '# They change documentation, tests or CI only.']
  for (let i = 0; i < inert.length; i += SKIPPED_AT_ONCE) {
    lines.push(`git bisect skip ${inert.slice(i, i + SKIPPED_AT_ONCE).join(' ')}`)
  }
  return lines
}

/** Inside single quotes of the script, where nothing but a single quote means anything. */
function buildLines(buildLink: string | null): string[] {
  if (buildLink === null) return []
  const url = URL.parse(buildLink.replaceAll(SHA_PLACEHOLDER, '0'))
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  const rest = buildLink.replaceAll(SHA_PLACEHOLDER, '')
  if (!isPlain || !buildLink.includes(SHA_PLACEHOLDER) || /[{}]/.test(rest) || !/^[\x21-\x7e]*$/.test(rest)) {
    throw new RangeError(`a build's address is an http(s) address with ${SHA_PLACEHOLDER} and no other placeholder`)
  }
  const quoted = buildLink
    .split(SHA_PLACEHOLDER)
    .map((part) => doublyQuoted(part))
    .join('"$commit"')
  return [`  build=${quoted}`, '  printf "build: %s\\n" "$build" >&2']
}

/** A text in single quotes, written inside a text in single quotes. */
function doublyQuoted(text: string): string {
  const single = (inner: string) => `'${inner.replaceAll("'", `'\\''`)}'`
  return single(single(text)).slice(1, -1)
}

function repetitionsLine(repetitions: number | null): string {
  const often =
    repetitions === null
      ? 'often; how often is not known'
      : `${repetitions} times a side to tell this step from its noise`
  return `  # 2. Measure it beside the build of the last good commit, in turns, ${often}.`
}
