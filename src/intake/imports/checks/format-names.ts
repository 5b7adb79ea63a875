/** The names that `--format` of CI results takes, in the order in which the formats are tried; `auto` stands for all. */
export const CI_RESULTS_FORMATS: readonly string[] = [
  'auto',
  'junit',
  'JSONEachRow',
  'dequarantine',
  'flakeflagger',
  'TSVWithNames',
]
