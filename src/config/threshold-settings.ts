import { DEFAULT_THRESHOLDS, type ThresholdSettings } from '../verdict/thresholds.ts'
import type { RepositoryConfig } from './repository-config.ts'

/** The thresholds that a repository configures, before anything is learned. */
export function thresholdSettings({ thresholds }: RepositoryConfig): ThresholdSettings {
  const { changed, unstable, learnedCap } = thresholds
  return { ...DEFAULT_THRESHOLDS, configured: { changed, unstable }, learnedCap }
}
