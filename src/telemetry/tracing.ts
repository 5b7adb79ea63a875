import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attributes, Context, Tracer } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/** Adds what is known only at the end of a span. */
export type Note = (attributes: Attributes) => void

interface Tracing {
  readonly tracer: Tracer
  readonly api: typeof import('@opentelemetry/api')
}

/** null: nothing is traced, and no library for it is loaded. */
let tracing: Tracing | null = null

/** The span that is open around what runs. */
const around = new AsyncLocalStorage<Context>()

/**
 * What `work` gives, with a span of it where spans are sent somewhere. Names and attributes are closed lists, numbers and names of
 * statements: no text of a query, no address with a query, nothing that a person wrote. Of an error only its kind goes out.
 */
export async function traced<T>(
  name: string,
  attributes: Attributes,
  work: (note: Note) => T | Promise<T>,
): Promise<T> {
  if (tracing === null) return await work(noted)
  const { tracer, api } = tracing
  const parent = around.getStore() ?? api.ROOT_CONTEXT
  const span = tracer.startSpan(name, { attributes }, parent)
  try {
    return await around.run(api.trace.setSpan(parent, span), () => work((more) => span.setAttributes(more)))
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    span.setStatus({ code: api.SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

function noted(): void {}

/** Spans that wait to be sent are at most this many; what is beyond is dropped. */
const MOST_SPANS = 4096

/** An end of the process waits no longer for a receiver. Milliseconds. */
const LONGEST_SEND = 2_000

export interface TracingSettings {
  /** OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
  readonly log: Logger
}

/** From here on spans are sent as OTLP/HTTP in JSON. Returns what sends the rest and ends it. */
export async function startTracing({
  endpoint,
  serviceName,
  version,
  log,
}: TracingSettings): Promise<() => Promise<void>> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  // Headers, such as a key of the receiver, come from OTEL_EXPORTER_OTLP_HEADERS, which the exporter reads itself.
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: LONGEST_SEND })
  let isFailing = false
  const saysWhenItFails: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined
        if (hasFailed && !isFailing) log.warn({ endpoint, err: result.error }, 'traces can’t be sent')
        isFailing = hasFailed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
  const processor = new sdk.BatchSpanProcessor({
    exporter: saysWhenItFails,
    maxQueueSize: MOST_SPANS,
    exportTimeoutMillis: LONGEST_SEND,
  })
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [processor],
  })
  tracing = { tracer: provider.getTracer('perf-triage', version), api }
  return async () => {
    tracing = null
    await Promise.race([provider.shutdown().catch(() => {}), sleep(LONGEST_SEND, undefined, { ref: false })])
  }
}
