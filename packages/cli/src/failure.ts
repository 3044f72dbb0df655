import { CommanderError } from 'commander';
import type { GroveError } from 'grove-idv-sdk';
import { forTerminal, jsonLine } from './output.ts';

/** The command line or the environment is wrong, and nothing was done. */
export class UsageError extends Error {}

/** The exit codes of the process; 0 is success. */
export const FAILED = 1;
export const USAGE = 2;

export type Failure = {
  exitCode: number;
  message: string;
  /** The position in our code, for unexpected faults. */
  stack?: string;
  /** Details for machines: the faults of a configuration, the number of a refusal. */
  detail?: Record<string, unknown>;
};

const CLIENT_ERRORS = ['GroveError', 'GroveConnectionError'];

/** Converts an error to a message that an operator can act on. */
export async function failureOf(error: unknown, help = 'grove help'): Promise<Failure> {
  if (error instanceof UsageError) return { exitCode: USAGE, message: error.message };
  if (error instanceof CommanderError) return { exitCode: USAGE, message: usageMessage(error, help) };
  // The packages of these errors are large. A command that throws one has already loaded its package.
  if (error instanceof Error && CLIENT_ERRORS.includes(error.name)) {
    const { GroveConnectionError, GroveError } = await import('grove-idv-sdk');
    if (error instanceof GroveError) return refusedByServer(error);
    if (error instanceof GroveConnectionError) {
      const advice = 'Check that the server runs, and that GROVE_URL (or --url) is its address.';
      return { exitCode: FAILED, message: `${error.message}. ${advice}` };
    }
  }
  // Loaded only here: a command that calls a server needs no code of the server.
  const { ApiError, BackupError, ConfigError, OperatorError } = await import('@grove/server');
  if (error instanceof ConfigError) {
    return { exitCode: USAGE, message: error.message, detail: { faults: error.faults } };
  }
  if (error instanceof OperatorError || error instanceof BackupError)
    return { exitCode: FAILED, message: error.message };
  if (error instanceof ApiError) {
    const { code, detail } = error;
    const message = [error.message, ...faultLines(detail.errors ?? [])].join('\n');
    return { exitCode: FAILED, message, detail: { code } };
  }
  return unforeseen(error);
}

function usageMessage({ code, message }: CommanderError, help: string): string {
  if (code === 'commander.help') return 'The command is not complete: it needs one of the commands above.';
  const sentence = message.replace(/^error: /, '').replaceAll('\n', ' ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. See ${help}.`;
}

function refusedByServer(error: GroveError): Failure {
  const { status, code, requestId, errors } = error;
  const marks = [code !== undefined && `code ${code}`, requestId !== undefined && `request ${requestId}`].filter(
    Boolean,
  );
  const message = [`${error.message}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`, ...faultLines(errors)];
  return { exitCode: FAILED, message: message.join('\n'), detail: { status, code, requestId, errors } };
}

function faultLines(errors: readonly { pointer: string; message: string }[]): string[] {
  return errors.map(({ pointer, message }) => `- ${pointer} ${message}`);
}

function unforeseen(error: unknown): Failure {
  if (!(error instanceof Error)) return { exitCode: FAILED, message: String(error) };
  const { code, syscall, port } = error as NodeJS.ErrnoException & { port?: number };
  if (syscall === 'listen') return { exitCode: FAILED, message: listenMessage(code, port, error) };
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  // Several failed attempts to connect come as one error without a message.
  const attempts = error instanceof AggregateError ? error.errors.map(({ message }: Error) => message).join('; ') : '';
  const message = `${error.message || attempts}${cause}`;
  // An error with a code, and a plain Error, was thrown on purpose and has a message for operators.
  const foreseen = code !== undefined || error.constructor === Error || error.name === 'DbError';
  return { exitCode: FAILED, message, ...(!foreseen && error.stack && { stack: error.stack }) };
}

function listenMessage(code: string | undefined, port: number | undefined, error: Error): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use by another program. Stop that program, or set PORT to another port (0 picks a free one).`;
  }
  if (code === 'EACCES') return `Port ${port} may not be used by this user. Set PORT to a port above 1023.`;
  return `The server cannot listen: ${error.message}. Set HOST and PORT.`;
}

/** One line of JSON for machines, sentences for people; both on standard error. */
export function failureText({ message, exitCode, stack, detail }: Failure, json: boolean): string {
  if (json) return jsonLine({ error: { message, exitCode, ...detail, ...(stack && { stack }) } });
  return forTerminal(stack === undefined ? `grove: ${message}\n` : `grove: ${message}\n${stack}\n`);
}
