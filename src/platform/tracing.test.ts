import {
  type Context,
  createContextKey,
  propagation,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isTracing, preloadOptions, recordRequest, traced } from './tracing.ts'

type KeptSpan = {
  readonly title: string
  readonly options: SpanOptions
  readonly context: Context | undefined
  status?: unknown
  end?: unknown
  isEnded: boolean
}

/** A provider that keeps spans in memory, as simple as the interface allows. */
function registerProvider(): KeptSpan[] {
  const spans: KeptSpan[] = []
  const startSpan = (title: string, options: SpanOptions = {}, context?: Context): Span => {
    const kept: KeptSpan = { title, options, context, isEnded: false }
    spans.push(kept)
    return {
      setStatus: (status: unknown) => void Object.assign(kept, { status }),
      end: (end: unknown) => void Object.assign(kept, { isEnded: true, end }),
    } as unknown as Span
  }
  const tracer = {
    startSpan,
    startActiveSpan: (title: string, options: SpanOptions, work: (span: Span) => unknown) =>
      work(startSpan(title, options)),
  } as unknown as Tracer
  expect(trace.setGlobalTracerProvider({ getTracer: () => tracer })).toBe(true)
  onTestFinished(() => trace.disable())
  return spans
}

describe('spans', () => {
  test('do not exist if no provider is registered', async () => {
    expect(isTracing()).toBe(false)
    expect(await traced('round', {}, async (span) => span.isRecording())).toBe(false)
    recordRequest('GET /v1/tenders', {}, { status: 200, milliseconds: 3, header: () => undefined })
  })

  test('go to the provider that the operator registered, with their outcome', async () => {
    const spans = registerProvider()
    expect(isTracing()).toBe(true)
    await traced('round', {}, () => traced('Publishing', { edition: 7 }, async () => {}))
    await expect(traced('reading', {}, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    const request = { status: 503, milliseconds: 250, header: () => undefined }
    recordRequest('GET /v1/tenders', { 'http.route': '/v1/tenders' }, request)
    expect(spans.map(({ title, isEnded }) => [title, isEnded])).toEqual([
      ['round', true],
      ['Publishing', true],
      ['reading', true],
      ['GET /v1/tenders', true],
    ])
    expect(spans[1]!.options.attributes).toEqual({ edition: 7 })
    expect(spans[2]!.status).toEqual({ code: SpanStatusCode.ERROR, message: 'away' })
    const { options, end, status } = spans[3]!
    expect(Number(end) - Number(options.startTime)).toBeCloseTo(250, 3)
    expect(options.attributes).toEqual({ 'http.route': '/v1/tenders', 'http.response.status_code': 503 })
    expect(status).toEqual({ code: SpanStatusCode.ERROR })

    // the trace that the operator's propagator finds in the headers continues
    const caller = createContextKey('caller')
    propagation.setGlobalPropagator({
      extract: (context, carrier, getter) => context.setValue(caller, getter.get(carrier, 'traceparent')),
      inject: () => {},
      fields: () => ['traceparent'],
    })
    onTestFinished(() => propagation.disable())
    recordRequest('GET /v1/tenders', {}, { ...request, header: (name) => `its ${name}` })
    expect(spans[4]!.context?.getValue(caller)).toBe('its traceparent')
  })

  test('of threads need the modules that Node loaded before the program', () => {
    expect(preloadOptions(['--import', './sdk.mjs', '--enable-source-maps', '--import=a', '-r', 'b', '-r'])).toEqual([
      '--import',
      './sdk.mjs',
      '--import=a',
      '-r',
      'b',
    ])
  })
})
