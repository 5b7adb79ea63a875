import { placeOf } from './frame-place.ts'
import { functionParts } from './function-parts.ts'

/**
 * Which function a frame of a profile or a line of source code names, in a form that the same function has wherever it is
 * named: without return type, parameters, template arguments, anonymous namespaces and what compilers append to a symbol.
 * Written for C++, as c++filt and LLVM demangle it; takes Rust, Go, Java, Python and JavaScript as profilers write them.
 */

/** More than any name that says something: what templates make longer names no function here. */
export const LONGEST_NAME = 16_384

export interface FrameName {
  /** Namespaces, classes and the function, outermost first; null where the frame names none. Never empty. */
  readonly parts: readonly string[] | null
  /** The source file, as the frame names it. */
  readonly file: string | null
  readonly line: number | null
}

/** What a frame says of its function and, where it does, of the file that it is in. */
export function frameName(frame: string): FrameName {
  if (frame.length > LONGEST_NAME) return { parts: null, file: null, line: null }
  const { text, file, line } = placeOf(frame.trim())
  return { parts: functionParts(text), file, line }
}

/**
 * `void DB::Aggregator::executeImpl<true>(int) const` is `DB::Aggregator::executeImpl`. Null where it names no function: an
 * address, `[unknown]`, `(filtered by script)`. What it gives it leaves as it is.
 */
export function functionName(frame: string): string | null {
  return frameName(frame).parts?.join('::') ?? null
}

/** Its last two parts, as people call it: `Aggregator::executeImpl`. The frame itself where it names no function. */
export function shortFunctionName(frame: string): string {
  return frameName(frame).parts?.slice(-2).join('::') ?? frame
}
