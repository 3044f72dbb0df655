import type { InstanceRow } from './journey-deps.ts';

/** Where the end user goes in the end. Pure. */

type Named = Pick<InstanceRow, 'id' | 'definition_id' | 'process_defn_name' | 'process_defn_version'>;

/** Puts what the placeholders name in their place, so that it can mean nothing but itself in an address. */
export function fillAddress(template: string, instance: Named, definitionType: string): string {
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

/** The rest of the address stays as it was written: another writing might mean something else to whoever reads it. */
export function withOutcome(address: string, outcome: { processInstanceId: string; status: string }): string {
  const at = address.indexOf('#');
  const [place, fragment] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
  return `${place}${place.includes('?') ? '&' : '?'}${new URLSearchParams(outcome)}${fragment}`;
}
