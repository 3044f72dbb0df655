import type { InstanceRow } from './journey-deps.ts';

/** Where the end user goes in the end. Pure. */

type NamedInstance = Pick<InstanceRow, 'id' | 'definition_id' | 'process_defn_name' | 'process_defn_version'>;

/** Fills in the placeholders, encoded so that a value cannot change the structure of the address. */
export function fillAddress(template: string, instance: NamedInstance, definitionType: string): string {
  const values = new Map<string, string | number>([
    ['PROCESS_INSTANCE_ID', instance.id],
    ['PROCESS_DNF_ID', instance.definition_id],
    ['PROCESS_DNF_NAME', instance.process_defn_name],
    ['PROCESS_DNF_VERSION', instance.process_defn_version],
    ['PROCESS_DNF_TYPE', definitionType],
  ]);
  return template.replace(/\{([A-Z_]+)\}/g, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

/** Adds the outcome to the query. The rest of the address stays exactly as it was written. */
export function withOutcome(address: string, outcome: { processInstanceId: string; status: string }): string {
  const at = address.indexOf('#');
  const [base, fragment] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
  return `${base}${base.includes('?') ? '&' : '?'}${new URLSearchParams(outcome)}${fragment}`;
}
