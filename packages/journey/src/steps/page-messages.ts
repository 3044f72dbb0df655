/** The messages of a tenant's page and to it. Pure: such a page is not trusted and may send anything. */
export const MAX_VARIABLES = 50;
export const MAX_VALUE_LENGTH = 1000;
/** A page that sends more messages than this is removed. */
export const MAX_MESSAGES = 100;

export type PageMessage =
  | { kind: 'ready' }
  | { kind: 'send'; variables: Record<string, string> }
  /** It follows the protocol, but its variables cannot be stored. */
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

/** Texts, numbers and booleans as texts, as the result of a custom page holds them. */
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
