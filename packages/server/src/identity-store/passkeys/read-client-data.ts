import { isUtf8 } from 'node:buffer';
import { jsonFault } from '../../kernel/json-fault.ts';
import { Malformed } from './malformed.ts';

/** The browser's data about a ceremony; the authenticator signs its hash (WebAuthn 5.8.1). */
export type ClientData = {
  type: string;
  challenge: string;
  origin: string;
  crossOrigin: boolean;
  topOrigin: string | undefined;
  /** Part of WebAuthn Level 2; current browsers do not send it. */
  tokenBinding: unknown;
};

export function readClientData(bytes: Buffer): ClientData {
  const { type, challenge, origin, crossOrigin, topOrigin, tokenBinding } = parse(bytes);
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') {
    throw new Malformed('the client data is missing its type, its challenge or its origin');
  }
  if (crossOrigin !== undefined && typeof crossOrigin !== 'boolean') {
    throw new Malformed('the client data has a crossOrigin that is neither true nor false');
  }
  if (topOrigin !== undefined && typeof topOrigin !== 'string') {
    throw new Malformed('the client data has a topOrigin that is not text');
  }
  return { type, challenge, origin, crossOrigin: crossOrigin === true, topOrigin, tokenBinding };
}

function parse(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw new Malformed('the client data is not UTF-8');
  // WebAuthn 7.1 step 5: a byte order mark is ignored.
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Malformed('the client data is not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new Malformed('the client data is not an object');
  const fault = jsonFault(text);
  if (fault) throw new Malformed(`the client data has a member that ${fault.message}`);
  return value as Record<string, unknown>;
}
