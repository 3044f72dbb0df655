/** The name of the data key of an instance. To destroy the key is to erase the instance. */
export function instanceSubject(instanceId: string): string {
  return `instance:${instanceId}`;
}
