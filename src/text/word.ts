/** A word that is shown, such as `slower`. */
export interface Term {
  /** As it is shown. */
  readonly term: string
  /** What it means, for somebody who meets it for the first time. Absent: `docs/glossary.md` says it. */
  readonly meaning?: string
}

/** A word with its own explanation: of a single column or tooltip, or one that replies say as well. */
export interface Word extends Term {
  /** One or two sentences. */
  readonly meaning: string
}
