// Samples of one scrape, written in the text format of Prometheus.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type CountedRequests, durationBounds } from '../../api/request-counts.ts'
import { type MetricName, type MetricSpec, metricPrefix, metricTable } from './metric-table.ts'

export const metricContentType = Registry.PROMETHEUS_CONTENT_TYPE

type Labels = { readonly [label: string]: string }

export class MetricSamples {
  readonly #registry = new Registry()
  readonly #metrics = new Map<MetricName, Gauge | Counter>()

  /** An unknown number is left out. */
  set(name: MetricName, value: number | undefined, labels: Labels = {}): void {
    if (value === undefined || Number.isNaN(value)) return
    const metric = this.#metrics.get(name) ?? this.#declare(name)
    // each pair of name and labels is set once per scrape: a counter begins at 0
    if (metric instanceof Counter) metric.inc(labels, value)
    else metric.set(labels, value)
  }

  setRequests(requests: readonly CountedRequests[]): void {
    const name: MetricName = 'http_request_duration_seconds'
    const { help, labels } = metricTable[name]
    const buckets = [...durationBounds]
    const histogram = new Histogram({
      name: `${metricPrefix}${name}`,
      help,
      labelNames: labels,
      buckets,
      registers: [this.#registry],
    })
    const values = requests.flatMap((each) => valuesOf(`${metricPrefix}${name}`, each))
    // other threads count, so there is nothing to observe here: the registry is given what it prints
    Object.assign(histogram, {
      getForPromString: async () => ({ name: `${metricPrefix}${name}`, help, type: 'histogram', values }),
    })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #declare(name: MetricName): Gauge | Counter {
    const { type, help, labels }: MetricSpec = metricTable[name]
    const options = { name: `${metricPrefix}${name}`, help, labelNames: labels, registers: [this.#registry] }
    const metric = type === 'counter' ? new Counter(options) : new Gauge(options)
    this.#metrics.set(name, metric)
    return metric
  }
}

/** The lines of a histogram: each bucket includes those below it. */
function valuesOf(name: string, { route, status, buckets, seconds }: CountedRequests) {
  const labels = { route, status: String(status) }
  let sum = 0
  const below = buckets.map((count) => {
    sum += count
    return sum
  })
  return [
    ...below.map((value, index) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: durationBounds[index] ?? '+Inf' },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: sum },
  ]
}
