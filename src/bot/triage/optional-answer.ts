import { Stopped } from '../../github/bounded-fetch.ts'
import { outageOf } from '../../github/outage.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import type { PublishContext } from './publish.ts'

/**
 * The answer to a question that only adds to the report, or `otherwise` where GitHub does not give it; the next triage asks
 * again. Where GitHub asks to wait, or the bot stops, the error is thrown: the report itself comes later.
 */
export async function optionalAnswer<T>(
  asked: Promise<T>,
  otherwise: T | null,
  message: string,
  log: PublishContext['log'],
) {
  try {
    return await asked
  } catch (error) {
    const isLater = error instanceof Stopped || typeof outageOf(error, 0)?.until === 'number'
    if (error instanceof StoreUnavailable || isLater) throw error
    log.warn({ err: error }, message)
    return otherwise
  }
}
