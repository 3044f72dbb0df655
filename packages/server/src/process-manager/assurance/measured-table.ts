import { intervalOf, MEASURED } from '../../engines/vision/measured.ts';
import { table } from '../definitions/step-table.ts';

/** The table of `docs/vision.md` with the errors that results quote. */
export function measuredTable(): string {
  const rows = Object.entries(MEASURED).flatMap(([method, measurements]) =>
    measurements.length === 0
      ? [[`\`${method}\``, 'nothing was measured', '', '']]
      : measurements.map((each) => {
          const { low, high } = intervalOf(each);
          const share = `${percent(each.errors / each.of)} [${percent(low)}–${percent(high)}]`;
          return [`\`${method}\``, each.what, `${each.errors} of ${each.of}`, share];
        }),
  );
  return table(['method', 'error', 'counted', 'share, 95 %'], rows);
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
