/** What the author should do about a row. Derived from outcome, guard and evidence by the table below; never a score. */
export type Verdict =
  | 'regression'
  | 'improvement'
  | 'needs-rerun'
  | 'likely-noise'
  | 'already-on-trunk'
  | 'acknowledged'
