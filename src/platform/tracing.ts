// Spans for OpenTelemetry. The operator loads an SDK with `--import`; without one, nothing is recorded and requests are
// not examined.
import {
  type Attributes,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api'

const name = 'tenderstock'
const tracer = trace.getTracer(name)

/** Whether a provider of spans was registered. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(name) !== undefined
}

/** Runs `work` in a span, the parent of all spans made in it; an error that it throws marks the span as failed. */
export function traced<Result>(
  title: string,
  attributes: Attributes,
  work: (span: Span) => Promise<Result>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<Result> {
  return tracer.startActiveSpan(title, { attributes, kind }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
      throw error
    } finally {
      span.end()
    }
  })
}

/** A request to another party's server. */
export const tracedCall = <Result>(title: string, attributes: Attributes, work: (span: Span) => Promise<Result>) =>
  traced(title, attributes, work, SpanKind.CLIENT)

export type TracedRequest = {
  readonly status: number
  readonly milliseconds: number
  /** A header as received. */
  readonly header: (name: string) => string | undefined
}

/** Propagators request single headers. */
const headerGetter: TextMapGetter<TracedRequest['header']> = {
  get: (header, name) => header(name),
  keys: () => [],
}

/**
 * Records a request that was just answered, in the trace named by headers such as `traceparent`, which the operator's
 * propagator reads. Status 500 and above counts as failed.
 */
export function recordRequest(title: string, attributes: Attributes, request: TracedRequest): void {
  const { status, milliseconds, header } = request
  const end = performance.timeOrigin + performance.now()
  const options = {
    kind: SpanKind.SERVER,
    startTime: end - milliseconds,
    attributes: { ...attributes, 'http.response.status_code': status },
  }
  const span = tracer.startSpan(title, options, propagation.extract(ROOT_CONTEXT, header, headerGetter))
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(end)
}

/** The options with which Node preloaded modules (`--import`, `--require`), for a thread of this process. */
export function preloadOptions(options: readonly string[]): string[] {
  return options.flatMap((option, index) => {
    if (/^--(?:import|require)=/.test(option)) return [option]
    const value = options[index + 1]
    return /^(?:--import|--require|-r)$/.test(option) && value !== undefined ? [option, value] : []
  })
}
