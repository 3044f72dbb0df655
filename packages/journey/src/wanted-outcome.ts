/** The outcome that the address of a sandbox journey requests: `?simulate=document-expired`. It stays for a reload. */
const NAME = /^[a-z-]{1,50}$/;

export function wantedOutcome(): string | undefined {
  const name = new URLSearchParams(location.search).get('simulate') ?? '';
  return NAME.test(name) ? name : undefined;
}

export function outcomeQuery(): Record<string, string> {
  const simulate = wantedOutcome();
  return simulate === undefined ? {} : { simulate };
}
