/**
 * What folded stacks may cost to hold. A profile of ClickHouse has some thousand distinct stacks of 20 to 60 frames, and
 * the largest ones that tools are tried with have a hundred thousand. Everything here grows with what is distinct, never
 * with the number of lines.
 */
export const STACK_LIMITS = {
  /** Characters of one line: 5,000 frames with the long names that templates give. */
  lineLength: 1024 * 1024,
  /** Places in the tree of all stacks, about 50 bytes each. */
  nodes: 4_000_000,
  /** Characters of distinct frame names. */
  text: 64 * 1024 * 1024,
} as const

export type StackLimits = { readonly [name in keyof typeof STACK_LIMITS]: number }
