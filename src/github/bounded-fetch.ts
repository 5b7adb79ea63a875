/** How long one call to GitHub may take, in milliseconds. */
export interface CallLimits {
  /** The limit for the connection and the headers; GitHub itself gives a request up after 10 s. */
  readonly headersMs: number
  /** The limit with the whole body, however slowly it comes. */
  readonly wholeMs: number
}

export const CALL_LIMITS: CallLimits = { headersMs: 15_000, wholeMs: 30_000 }

/** The longest honest answer is a page of a hundred check runs with their output, 8 MB. */
const LARGEST_ANSWER = 32 * 1024 * 1024

/**
 * No answer in time, or none that is wanted any more. Octokit hands an error of this name on as it is: every other one
 * it takes for an answer with status 500, and asks three times more.
 */
export class NoAnswer extends Error {
  override readonly name = 'AbortError'
}

export class Stopped extends NoAnswer {}

/** GitHub did answer, and will answer the same again. Its name is for octokit, as that of `NoAnswer` is. */
class AnswerTooLarge extends Error {
  override readonly name = 'AbortError'
}

/**
 * A `fetch` for octokit whose answers are complete when it returns: octokit takes a body that ends too early for an
 * empty one, with the status of a good answer. `stopping` ends what is under way.
 */
export function boundedFetch(limits: CallLimits, stopping: AbortSignal, mostBytes = LARGEST_ANSWER): typeof fetch {
  return async (input, init) => {
    const ended = new AbortController()
    const endAfter = (milliseconds: number, what: string) =>
      setTimeout(() => ended.abort(new NoAnswer(`GitHub sent ${what} within ${milliseconds / 1000} s`)), milliseconds)
    const headers = endAfter(limits.headersMs, 'no headers')
    const whole = endAfter(limits.wholeMs, 'no complete answer')
    try {
      const signal = AbortSignal.any([ended.signal, stopping, ...(init?.signal ? [init.signal] : [])])
      const response = await fetch(input, { ...init, signal })
      clearTimeout(headers)
      const { status, statusText, headers: fields } = response
      const body = await wholeBody(response, mostBytes)
      const read = new Response(body.length === 0 ? null : body, { status, statusText, headers: fields })
      // A response that somebody made has no address, and octokit hands that of the answer on.
      Object.defineProperty(read, 'url', { value: response.url })
      return read
    } catch (error) {
      if (stopping.aborted) throw new Stopped('the bot is stopping', { cause: error })
      throw ended.signal.aborted ? ended.signal.reason : error
    } finally {
      clearTimeout(headers)
      clearTimeout(whole)
    }
  }
}

async function wholeBody(response: Response, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new AnswerTooLarge(`the answer is larger than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
