import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What Prometheus reads. No label holds a tenant, a key or anything of a person. */
export type Metrics = {
  observe(operation: string, status: number, milliseconds: number): void;
  text(): Promise<string>;
};

type Series = { observe(seconds: number): void };

export function openMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const durations = new Histogram({
    name: 'grove_http_request_duration_seconds',
    help: 'How long requests took, by operation and status; the count is the number of requests',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  new Gauge({ name: 'grove_info', help: 'The version that runs', labelNames: ['version'] as const, registers })
    .labels(version)
    .set(1);

  // The series of an operation and status is looked up once; operations and statuses are few.
  const known = new Map<string, Map<number, Series>>();
  const seriesOf = (operation: string, status: number): Series => {
    let byStatus = known.get(operation);
    if (!byStatus) {
      byStatus = new Map();
      known.set(operation, byStatus);
    }
    let series = byStatus.get(status);
    if (!series) {
      series = durations.labels(operation, String(status));
      byStatus.set(status, series);
    }
    return series;
  };

  return {
    observe(operation, status, milliseconds) {
      seriesOf(operation, status).observe(milliseconds / 1000);
    },
    text: () => registry.metrics(),
  };
}
