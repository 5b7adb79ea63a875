import type { BisectWindow } from './window.ts'

export interface BisectScriptOptions {
  /** An address with `{sha}` where builds of single commits are; null where none is known. */
  readonly buildLink: string | null
  /** Takes the build of the commit before in the place of one that can't change the binary. Default: builds each. */
  readonly skipInert?: boolean
}

/** What a build's address may hold. */
const SHA_PLACEHOLDER = '{sha}'

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
  const inert = skipInert ? inertOf(window) : []
  const lines = [
    '#!/bin/sh',
    '# Finds the commit that brought a step on the trunk. Start it inside a clone, and save your work before:',
    '# git bisect checks out one commit after another. At its end you are back where you were.',
    'set -eu',
    '',
    `good=${good}`,
    `bad=${bad}`,
    '',
    '# What has been measured, so that nothing is measured twice.',
    'results=$(mktemp -d)',
    'export results good',
    `trap 'git bisect reset; rm -rf "$results"' EXIT`,
    ...(inert.length === 0 ? [] : ['cat >"$results/inert" <<\'END\'', ...inert, 'END']),
    '',
    '# Both ends were measured, not proven: build and measure them once before you trust the rest.',
    'git bisect start --first-parent "$bad" "$good"',
    '',
    "git bisect run sh -eu -c '",
    '  commit=$(git rev-parse HEAD)',
    ...(inert.length === 0
      ? []
      : [
          '  # Commits that change documentation, tests or CI only are built as the one before them.',
          '  while grep -q -x "$commit" "$results/inert"; do commit=$(git rev-parse "$commit^"); done',
          '  if [ "$commit" = "$good" ]; then exit 0; fi',
        ]),
    '  if [ -f "$results/$commit" ]; then exit "$(cat "$results/$commit")"; fi',
    '  answer() { echo "$1" >"$results/$commit"; exit "$1"; }',
    ...buildLines(buildLink),
    '',
    '  # 1. Get the build of $commit. 125 tells git that this commit can not be tested:',
    '  # ./build "$commit" || answer 125',
    '',
    repetitionsLine(repetitions),
    '  # 0 tells git that it is at the level of the last good one, 1 that it is at that of the first bad one:',
    '  # if ./measure "$commit"; then answer 0; else answer 1; fi',
    '',
    '  echo "complete this script first: it builds and measures nothing yet" >&2',
    '  exit 128',
    "'",
  ]
  return `${lines.join('\n')}\n`
}

function checkedCommit(commit: string): string {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw new RangeError(`${JSON.stringify(commit.slice(0, 80))} is not a full commit id`)
  }
  return commit
}

/** The commits of the window that can't change the binary. */
function inertOf({ commits, functional }: BisectWindow): string[] {
  const kept = new Set(functional.map(({ sha }) => sha))
  return (commits?.listed ?? []).filter(({ sha }) => !kept.has(sha)).map(({ sha }) => checkedCommit(sha))
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
