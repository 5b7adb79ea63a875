import type { ApplicationFunction } from 'probot'

/** For Probot, which loads it by its name: `probot run perf-triage`. Nothing else is for others to import. */
declare const perfTriage: ApplicationFunction
export default perfTriage
