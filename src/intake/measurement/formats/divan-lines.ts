/** `sums    fastest       │ slowest       │ median        │ mean          │ samples │ iters`: a table, and whose it is. */
export const HEADER = /^(\S.*?)\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters\s*$/m
