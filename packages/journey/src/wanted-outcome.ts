/** The outcome of a sandbox journey that the address asks for: `?simulate=document-expired`. It stays there, for a reload. */
const NAME = /^[a-z-]{1,50}$/;

export function wantedOutcome(): string | undefined {
  const name = new URLSearchParams(location.search).get('simulate') ?? '';
  return NAME.test(name) ? name : undefined;
}

export function outcomeQuery(): Record<string, string> {
  const simulate = wantedOutcome();
  return simulate === undefined ? {} : { simulate };
}
