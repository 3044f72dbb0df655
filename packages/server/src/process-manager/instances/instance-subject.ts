/** Under which the vault keeps the key of everything sealed for an instance: to destroy it is to erase the instance. */
export function instanceSubject(instanceId: string): string {
  return `instance:${instanceId}`;
}
