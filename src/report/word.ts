/** A word of the glossary. */
export interface Word {
  /** As it is shown. */
  readonly term: string
  /** One or two sentences for somebody who meets it for the first time. */
  readonly meaning: string
}
