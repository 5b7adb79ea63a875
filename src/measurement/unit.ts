/** What the counts of a profile are. The names but `samples` are those of speedscope's units. */
export const UNITS = ['samples', 'bytes', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds'] as const
export type Unit = (typeof UNITS)[number]
