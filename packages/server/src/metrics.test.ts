import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMetrics } from './metrics.ts';

const NAME = 'grove_http_request_duration_seconds';

describe('the metrics of requests', () => {
  const textOf = async (observed: readonly [operation: string, status: number, milliseconds: number][]) => {
    const metrics = openMetrics('1.2.3', async () => 'of_others 7\n');
    for (const each of observed) metrics.observe(...each);
    return (await metrics.text()).split('\n');
  };
  const valuesOf = (lines: readonly string[], labels: string) =>
    lines.filter((line) => line.startsWith(NAME) && line.includes(labels)).map((line) => line.split(' ').at(-1));

  it('the metrics of requests count a duration up to and including its bound, in every bucket from there on, and a longer one in the last', async () => {
    const lines = await textOf([
      ['apiKeys.list', 200, 5],
      ['apiKeys.list', 200, 6],
      ['apiKeys.list', 200, 20_000],
    ]);
    const labels = 'operation="apiKeys.list",status="200"';
    const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, '+Inf'];
    const counts = [0, 0, 1, ...Array.from({ length: 10 }, () => 2), 3];
    assert.deepEqual(
      lines.filter((line) => line.startsWith(`${NAME}_bucket`)),
      bounds.map((bound, at) => `${NAME}_bucket{le="${bound}",${labels}} ${counts[at]}`),
    );
    assert.ok(lines.includes(`${NAME}_sum{${labels}} 20.011`));
    assert.ok(lines.includes(`${NAME}_count{${labels}} 3`));
  });

  it('the metrics of requests have a series for each operation and status, the version, and the meters of other modules', async () => {
    const lines = await textOf([
      ['apiKeys.list', 200, 1],
      ['apiKeys.list', 404, 1],
      ['apiKeys.get', 200, 1],
      ['apiKeys.get', 200, 1],
    ]);
    assert.equal(valuesOf(lines, 'operation="apiKeys.list",status="200"').at(-1), '1');
    assert.equal(valuesOf(lines, 'operation="apiKeys.list",status="404"').at(-1), '1');
    assert.equal(valuesOf(lines, 'operation="apiKeys.get",status="200"').at(-1), '2');
    assert.ok(lines.includes('grove_info{version="1.2.3"} 1') && lines.includes('of_others 7'));
  });
});
