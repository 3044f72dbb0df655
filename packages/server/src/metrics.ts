/** The metrics of requests for Prometheus. No label holds a tenant, a key or personal data. */
export type Metrics = {
  observe(operation: string, status: number, milliseconds: number): void;
  text(): Promise<string>;
};

const NAME = 'grove_http_request_duration_seconds';
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

type Series = { operation: string; status: number; buckets: Float64Array; sumMs: number };

/**
 * Counts every request with a few additions in memory. The library for metrics of the process is loaded at the first
 * scrape. `extra` returns further metrics in the same format.
 */
export function openMetrics(version: string, extra: () => Promise<string> = async () => ''): Metrics {
  const seriesByOperation = new Map<string, Map<number, Series>>();
  const seriesOf = (operation: string, status: number): Series => {
    let byStatus = seriesByOperation.get(operation);
    if (!byStatus) {
      byStatus = new Map();
      seriesByOperation.set(operation, byStatus);
    }
    let series = byStatus.get(status);
    if (!series) {
      series = { operation, status, buckets: new Float64Array(BOUNDS_MS.length + 1), sumMs: 0 };
      byStatus.set(status, series);
    }
    return series;
  };

  let processMetrics: Promise<{ metrics(): Promise<string> }> | undefined;
  return {
    observe(operation, status, milliseconds) {
      const series = seriesOf(operation, status);
      let at = 0;
      while (at < BOUNDS_MS.length && milliseconds > (BOUNDS_MS[at] as number)) at += 1;
      series.buckets[at] = (series.buckets[at] as number) + 1;
      series.sumMs += milliseconds;
    },
    async text() {
      processMetrics ??= openProcessMetrics();
      const requests = [...seriesByOperation.values()].flatMap((byStatus) => [...byStatus.values()]);
      return `# HELP grove_info The version that runs
# TYPE grove_info gauge
grove_info{version="${version}"} 1
# HELP ${NAME} How long requests took, by operation and status; the count is the number of requests
# TYPE ${NAME} histogram
${requests.flatMap(linesOf).join('\n')}
${await extra()}${await (await processMetrics).metrics()}`;
    },
  };
}

async function openProcessMetrics() {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Writes the text format, in which a bucket includes all smaller ones. */
function linesOf({ operation, status, buckets, sumMs }: Series): string[] {
  const labels = `operation="${operation}",status="${status}"`;
  let count = 0;
  const lines = BOUNDS_MS.map((bound, at) => {
    count += buckets[at] as number;
    return `${NAME}_bucket{le="${bound / 1000}",${labels}} ${count}`;
  });
  count += buckets[BOUNDS_MS.length] as number;
  return [
    ...lines,
    `${NAME}_bucket{le="+Inf",${labels}} ${count}`,
    `${NAME}_sum{${labels}} ${sumMs / 1000}`,
    `${NAME}_count{${labels}} ${count}`,
  ];
}
