/**
 * Numbers for Prometheus. A label never holds a tenant, a key or personal data. A meter has a limited number of series;
 * further label values are counted under `other`.
 */
export type Labels = Readonly<Record<string, string>>;
export type Counter = (labels: Labels, by?: number) => void;
export type Histogram = (labels: Labels, seconds: number) => void;

export type Meters = {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, bounds?: readonly number[]): Histogram;
  /** Its values are read with the metrics. If that fails, the metrics leave the gauge out. */
  gauge(name: string, help: string, readValues: () => Promise<Reading[]> | Reading[]): void;
  text(): Promise<string>;
};

export type Reading = { labels: Labels; value: number };

export const MAX_SERIES = 500;
const MAX_LABEL_LENGTH = 100;
const BOUNDS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function openMeters(onError: (error: unknown) => void = () => undefined): Meters {
  const writers: (() => Promise<string[]> | string[])[] = [];
  const add = (name: string, help: string, type: string, lines: () => Promise<string[]> | string[]) => {
    writers.push(async () => {
      try {
        return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())];
      } catch (error) {
        onError(error);
        return [];
      }
    });
  };
  return {
    counter(name, help) {
      const series = seriesOf(() => ({ value: 0 }));
      add(name, help, 'counter', () => series.all().map(([labels, { value }]) => `${name}{${labels}} ${value}`));
      return (labels, by = 1) => {
        series.of(labels).value += by;
      };
    },
    histogram(name, help, bounds = BOUNDS_SECONDS) {
      const series = seriesOf(() => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }));
      add(name, help, 'histogram', () =>
        series.all().flatMap(([labels, each]) => histogramLines(name, labels, bounds, each)),
      );
      return (labels, seconds) => {
        const each = series.of(labels);
        const at = bounds.findIndex((bound) => seconds <= bound);
        const bucket = at < 0 ? bounds.length : at;
        each.counts[bucket] = (each.counts[bucket] as number) + 1;
        each.sum += seconds;
      };
    },
    gauge(name, help, readValues) {
      add(name, help, 'gauge', async () =>
        (await readValues()).slice(0, MAX_SERIES).map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}`),
      );
    },
    async text() {
      const all = await Promise.all(writers.map((write) => write()));
      return all
        .flat()
        .map((line) => `${line}\n`)
        .join('');
    },
  };
}

function seriesOf<Value>(make: () => Value) {
  const values = new Map<string, Value>();
  const entry = (key: string): Value => {
    const value = values.get(key) ?? make();
    values.set(key, value);
    return value;
  };
  return {
    of(labels: Labels): Value {
      const key = labelText(labels);
      if (values.has(key) || values.size < MAX_SERIES) return entry(key);
      return entry(labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))));
    },
    all: () => [...values],
  };
}

function histogramLines(
  name: string,
  labels: string,
  bounds: readonly number[],
  { counts, sum }: { counts: Float64Array; sum: number },
): string[] {
  const separator = labels === '' ? '' : ',';
  let count = 0;
  const lines = [...bounds, Number.POSITIVE_INFINITY].map((bound, at) => {
    count += counts[at] as number;
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    return `${name}_bucket{${labels}${separator}le="${le}"} ${count}`;
  });
  return [...lines, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`];
}

/** Some values come from callers, such as the names of definitions and steps, so they are cut and escapeLabel. */
function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value.slice(0, MAX_LABEL_LENGTH))}"`)
    .join(',');
}

const escapeLabel = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
