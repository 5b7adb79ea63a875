/** How far back the lists look, in days: where nobody says it, and at most. */

export const DEFAULT_QUEUE_DAYS = 7
export const MOST_QUEUE_DAYS = 90

export const DEFAULT_RECORD_DAYS = 90
export const MOST_RECORD_DAYS = 365

export const DEFAULT_QUALITY_DAYS = 30
export const MOST_QUALITY_DAYS = 365
