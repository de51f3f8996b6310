// What an operator loads before the program (`--import`): a real SDK of OpenTelemetry that writes each span to the file
// SPANS.
import { appendFileSync } from 'node:fs'
import { NodeTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-node'

const file = process.env['SPANS']!
const exporter: SpanExporter = {
  export: (spans, done) => {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      const { name, attributes, parentSpanContext } = span
      appendFileSync(
        file,
        `${JSON.stringify({ name, traceId, spanId, parent: parentSpanContext?.spanId, attributes })}\n`,
      )
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
