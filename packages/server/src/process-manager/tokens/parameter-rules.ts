import {
  MAX_PARAMETER_LENGTH,
  MAX_PARAMETERS,
  MAX_PARAMETERS_BYTES,
  RESERVED_PARAMETERS,
  RESERVED_PREFIX,
} from '@grove/contract';
import { isScenario, scenarios } from '../../engines/vision/scenarios.ts';
import { closest } from '../../kernel/closest.ts';
import { ApiError, type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { MAX_REDIRECT_LENGTH, type RedirectRule, redirectFault } from '../settings/redirect-rules.ts';

/** The parameters of process tokens and of the instances made from them. */
export type Parameters = Readonly<Record<string, string>>;

const MAX_KEY_LENGTH = 255;
/** Names that every object inherits, such as `constructor`: a reader could mistake them for parameters. */
const NO_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** The parameters with addresses for the end user. */
const REDIRECTS = ['_redirectUrl', 'timeoutRedirectUrl'] as const;

export function checkParameters(parameters: Parameters, environment: 'live' | 'test'): void {
  const fault = parameterFault(parameters, environment);
  if (fault) throw invalidInput(fault);
}

function parameterFault(parameters: Parameters, environment: 'live' | 'test'): FieldFault | undefined {
  const keys = Object.keys(parameters);
  if (keys.length > MAX_PARAMETERS) {
    return { pointer: '/parameters', message: `must have at most ${MAX_PARAMETERS} keys` };
  }
  if (Buffer.byteLength(JSON.stringify(parameters)) > MAX_PARAMETERS_BYTES) {
    return { pointer: '/parameters', message: `must have at most ${MAX_PARAMETERS_BYTES} bytes together` };
  }
  for (const key of keys) {
    const fault = keyFault(key, environment) ?? valueFault(parameters[key]) ?? scenarioFault(key, parameters[key]);
    if (fault) return { pointer: pointerTo('/parameters', key), message: fault };
  }
  return undefined;
}

function keyFault(key: string, environment: 'live' | 'test'): string | undefined {
  if (key === '' || [...key].length > MAX_KEY_LENGTH) return `must have a name of 1 to ${MAX_KEY_LENGTH} characters`;
  if (NO_KEYS.has(key)) return 'is not a name that a parameter may have';
  if (key.startsWith(RESERVED_PREFIX)) return `must not begin with ${RESERVED_PREFIX}, which is for Grove`;
  // A misspelt reserved name would be a parameter without any effect.
  const suggestion = key.startsWith('_') ? closest(key, RESERVED_PARAMETERS) : undefined;
  if (suggestion !== undefined && suggestion !== key) return `is not known; did you mean ${suggestion}?`;
  return key === '_scenario' && environment === 'live' ? 'is for the sandbox: use a test key' : undefined;
}

function valueFault(value: unknown): string | undefined {
  const fits = typeof value === 'string' && [...value].length <= MAX_PARAMETER_LENGTH;
  return fits ? undefined : `must be a string of at most ${MAX_PARAMETER_LENGTH} characters`;
}

/** Refuses a misspelt scenario, which would otherwise run as the default one, where everything passes. */
function scenarioFault(key: string, value: string | undefined): string | undefined {
  if (key !== '_scenario' || (value !== undefined && isScenario(value))) return undefined;
  return `must be one of ${scenarios.map(({ name }) => name).join(', ')}`;
}

export function hasRedirects(parameters: Parameters): boolean {
  return REDIRECTS.some((name) => parameters[name]);
}

/** Ensures that redirects lead to origins of the tenant; an empty parameter counts as absent. */
export function checkRedirects(parameters: Parameters, origins: readonly string[]): void {
  for (const name of REDIRECTS) {
    const text = parameters[name];
    if (text) ensureRedirect(text, pointerTo('/parameters', name), { origins, maxLength: MAX_REDIRECT_LENGTH });
  }
}

export function ensureRedirect(text: string, pointer: string, rule: RedirectRule): void {
  const message = redirectFault(text, rule);
  if (message) throw new ApiError(100025, { errors: [{ pointer, message }] });
}
