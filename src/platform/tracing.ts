// Spans for OpenTelemetry. The operator loads an SDK with `--import`; without one, nothing is recorded, and requests
// are not even looked at.
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

/** Whether somebody registered a provider of spans. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(name) !== undefined
}

/** Runs `work` in a span, in which the spans that it makes are; an error it throws ends the span as failed. */
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

/** A request to somebody else's server. */
export const tracedCall = <Result>(title: string, attributes: Attributes, work: (span: Span) => Promise<Result>) =>
  traced(title, attributes, work, SpanKind.CLIENT)

export type TracedRequest = {
  readonly status: number
  readonly milliseconds: number
  /** A header as received. */
  readonly header: (name: string) => string | undefined
}

/** Propagators ask for single headers. */
const headerGetter: TextMapGetter<TracedRequest['header']> = {
  get: (header, name) => header(name),
  keys: () => [],
}

/**
 * Records a request that was answered just now, in the trace that its caller names in headers which the operator's
 * propagator reads, such as `traceparent`. From status 500 on it failed.
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

/** The options with which Node loaded modules before the program (`--import`, `--require`), for a thread of it. */
export function preloadOptions(options: readonly string[]): string[] {
  return options.flatMap((option, index) => {
    if (/^--(?:import|require)=/.test(option)) return [option]
    const value = options[index + 1]
    return /^(?:--import|--require|-r)$/.test(option) && value !== undefined ? [option, value] : []
  })
}
