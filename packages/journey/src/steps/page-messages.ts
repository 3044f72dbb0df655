/** What a page of the tenant may say to us, and what it is told. Pure: a page is a stranger, and may send anything. */
export const MAX_VARIABLES = 50;
export const MAX_VALUE_LENGTH = 1000;
/** More than this many messages are not a conversation. */
export const MAX_MESSAGES = 100;

export type PageMessage =
  | { kind: 'ready' }
  | { kind: 'send'; variables: Record<string, string> }
  /** It speaks the protocol, and what it sends cannot be kept. */
  | { kind: 'bad' }
  | { kind: 'other' };

export function readPageMessage(data: unknown): PageMessage {
  if (typeof data !== 'object' || data === null) return { kind: 'other' };
  const { event, variables } = data as { event?: unknown; variables?: unknown };
  if (event === 'READY') return { kind: 'ready' };
  if (event !== 'SEND') return { kind: 'other' };
  const values = readVariables(variables ?? {});
  return values ? { kind: 'send', variables: values } : { kind: 'bad' };
}

/** Texts, numbers and truth values, as texts: that is what a custom page's result holds. */
function readVariables(variables: unknown): Record<string, string> | undefined {
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return undefined;
  const entries = Object.entries(variables);
  if (entries.length > MAX_VARIABLES) return undefined;
  const plain = entries.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  const texts = entries.map(([name, value]) => [name, String(value)] as const);
  return plain && texts.every(([, value]) => value.length <= MAX_VALUE_LENGTH) ? Object.fromEntries(texts) : undefined;
}

export function processCommand(constants: object, sessionData: object): object {
  return { command: 'PROCESS', variables: { constants, sessionData } };
}
