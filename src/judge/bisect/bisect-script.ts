import { isCommitId } from '../../text/commits.ts'
import { singleQuoted } from '../../text/quote.ts'
import type { BisectWindow } from './bisect-window.ts'

/** Writes the shell script for `git bisect run` of a window. It runs nothing. */

export interface BisectScriptOptions {
  /** An address with `{sha}` where builds of single commits are; null where none is known. */
  readonly buildLink: string | null
  /** Takes the build of the commit before in the place of one that can't change the binary. Default: builds each. */
  readonly skipInert?: boolean
}

/** Placeholders that a build's address may hold. */
const SHA_PLACEHOLDER = '{sha}'

/**
 * A shell script (POSIX) that bisects the window with `git bisect run`, for a person to read, complete and start inside a
 * clone. Both ends are measured first: were one of them not at its level, git would name a commit all the same. Only commit
 * ids, which are checked to be hexadecimal, and `buildLink`, in single quotes, come from outside; no title, test name or
 * query text is in it.
 *
 * Throws a RangeError where an end of the window is no commit id, or `buildLink` no http(s) address with `{sha}` alone.
 */
export function bisectScript(window: BisectWindow, { buildLink, skipInert = false }: BisectScriptOptions): string {
  const good = checkedCommit(window.step.lastGood.commit)
  const bad = checkedCommit(window.step.firstBad.commit)
  const inert = skipInert ? inertOf(window) : []
  const lines = [
    '#!/bin/sh',
    '# Finds the commit that caused a step on the main branch. Run it inside a clone, and save your work first: it checks out',
    '# one commit after another. At the end you are back where you were.',
    ...stepLines(window),
    'set -eu',
    '',
    `good=${good}`,
    `bad=${bad}`,
    '',
    'start=$(git symbolic-ref --quiet --short HEAD || git rev-parse HEAD)',
    '# Results so far, so that nothing is measured twice.',
    'results=$(mktemp -d)',
    'export results good',
    `trap 'git bisect reset >/dev/null 2>&1 || true; git checkout --quiet "$start"; rm -rf "$results"' EXIT`,
    '',
    ...measureLines(window, buildLink),
    ...inertLines(inert),
    ...stepOfRunLines(inert.length > 0),
    ...bothEndsLines(),
    'git bisect start --first-parent "$bad" "$good"',
    'git bisect run sh -eu "$results/step"',
  ]
  return `${lines.join('\n')}\n`
}

/** The part that a person completes: it builds one commit, measures it and says at which level it is. */
function measureLines({ plan, repetitions }: BisectWindow, buildLink: string | null): string[] {
  return [
    'cat >"$results/measure" <<\'END\'',
    'commit=$1',
    ...buildLines(buildLink),
    '',
    '# 1. Get the build of $commit. 125 tells git that this commit cannot be tested:',
    '# ./build "$commit" || exit 125',
    '',
    repetitionsLine(plan[0]?.repetitions ?? repetitions ?? null),
    '# 0: it is at the level of the last good commit, 1: at that of the first bad one.',
    '# if ./measure "$commit"; then exit 0; else exit 1; fi',
    '',
    'echo "complete this script first: it does not build or measure anything yet" >&2',
    'exit 128',
    'END',
    '',
  ]
}

/** The part that git runs for each commit: what was measured is remembered. */
function stepOfRunLines(hasInert: boolean): string[] {
  return [
    'cat >"$results/step" <<\'END\'',
    'commit=$(git rev-parse HEAD)',
    ...(hasInert ? ['while grep -q -x "$commit" "$results/inert"; do commit=$(git rev-parse "$commit^"); done'] : []),
    'if [ -f "$results/$commit" ]; then exit "$(cat "$results/$commit")"; fi',
    'answer=0',
    'sh -eu "$results/measure" "$commit" || answer=$?',
    'if [ "$answer" -le 1 ]; then echo "$answer" >"$results/$commit"; fi',
    'exit "$answer"',
    'END',
    '',
  ]
}

function bothEndsLines(): string[] {
  return [
    '# Check that both ends are at their levels: the history has only one run of each.',
    'expect() {',
    '  git checkout --quiet --detach "$1"',
    '  answer=0',
    '  sh -eu "$results/measure" "$1" || answer=$?',
    '  if [ "$answer" -gt 1 ]; then exit "$answer"; fi',
    '  if [ "$answer" -ne "$2" ]; then',
    '    echo "$1 is at the other level, so the step is not in this window" >&2',
    '    exit 3',
    '  fi',
    '  echo "$answer" >"$results/$1"',
    '}',
    'expect "$good" 0',
    'expect "$bad" 1',
    '',
  ]
}

/**
 * The names of the two levels, for whoever completes the script: "bad" is the fast one of something that got faster.
 */
function stepLines({ step, unit }: BisectWindow): string[] {
  const { before, after, lastGood, firstBad, earliest, latest } = step
  const level = (value: number) => `${Number(value.toPrecision(4))}${unit === null ? '' : ` ${plainUnit(unit)}`}`
  const change = `${step.step > 0 ? '+' : ''}${(100 * step.step).toFixed(1)}%`
  const day = ({ time }: { readonly time: number }) => new Date(time).toISOString().slice(0, 16).replace('T', ' ')
  const isWider = earliest.time !== firstBad.time || latest.time !== firstBad.time
  return [
    '#',
    `# The step: ${level(before)} -> ${level(after)} (${change}, ${after > before ? 'slower or more' : 'FASTER OR LESS'}).`,
    `# Last good commit, at ${level(before)}: measured on ${day(lastGood)} UTC.`,
    `# First bad commit, at ${level(after)}: measured on ${day(firstBad)} UTC.`,
    ...(isWider
      ? [
          `# With 99% confidence the first bad commit was measured between ${day(earliest)} and ${day(latest)}:`,
          '# if an end is not at its level, move it to the commit before or after.',
        ]
      : []),
  ]
}

/** Units are what a source says they are. */
function plainUnit(unit: string): string {
  return /^[A-Za-z%/]{1,12}$/.test(unit) ? unit : ''
}

function inertLines(inert: readonly string[]): string[] {
  if (inert.length === 0) return []
  return [
    '# Commits that change only documentation, tests or CI: the commit before them is built instead.',
    'cat >"$results/inert" <<\'END\'',
    ...inert,
    'END',
    '',
  ]
}

function checkedCommit(commit: string): string {
  if (!isCommitId(commit)) {
    throw new RangeError(`${JSON.stringify(commit.slice(0, 80))} is not a full commit ID`)
  }
  return commit
}

/** The commits of the window that can't change the binary. */
function inertOf({ commits, functional }: BisectWindow): string[] {
  const kept = new Set(functional.map(({ sha }) => sha))
  return (commits?.listed ?? []).filter(({ sha }) => !kept.has(sha)).map(({ sha }) => checkedCommit(sha))
}

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
    .map((part) => singleQuoted(part))
    .join('"$commit"')
  return [`build=${quoted}`, 'printf "build: %s\\n" "$build" >&2']
}

function repetitionsLine(repetitions: number | null): string {
  const often =
    repetitions === null
      ? 'repeatedly; the number of times needed is unknown'
      : `${repetitions} times per side, to tell this step from noise`
  return `# 2. Measure it beside the build of the last good commit, in turns, ${often}.`
}
