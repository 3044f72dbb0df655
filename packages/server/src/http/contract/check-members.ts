import { canBeLenient, type GroupedOperation } from '@grove/contract';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Principal } from '../../kernel/context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { addHeader } from '../fast/respond.ts';
import { MAX_NAMED, type Members, memberReader, QUERY, type ReadMembers } from './read-members.ts';

/**
 * Ensures that nothing is silently dropped: refuses members and query parameters that the contract does not declare. Clients
 * of the original may send `handling=lenient` (RFC 7240), or their tenant may have set it; then the header `Grove-Ignored`
 * lists what was ignored. See docs/decisions/2026-11-16-nothing-is-dropped.md.
 */
export type CheckMembersDeps = {
  /** Whether the tenant has chosen lenient handling. Called only if a request has an unknown member. */
  isLenient(principal: Principal): Promise<boolean>;
};

const TOO_MANY_TO_IGNORE = {
  pointer: '',
  message: `has more than ${MAX_NAMED} unknown members; so many are not ignored`,
};

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

export function checkMembers(deps: CheckMembersDeps, id: string, operation: GroupedOperation): Hook {
  const { auth, query } = operation;
  const readBody = bodyReader(operation);
  // People open the addresses of public operations, to which mail programs and trackers add parameters.
  const readQuery = auth === 'public' ? undefined : memberReader(query ?? { type: 'object' });
  const mayBeLenient = canBeLenient(id, operation);

  const settle = async (request: FastifyRequest, { unknown, withoutEffect }: Members): Promise<void> => {
    if (unknown.length > 0) {
      const faults = unknown.slice(0, MAX_NAMED).map(({ pointer, message }) => ({ pointer, message }));
      const isExcluded = !mayBeLenient || unknown.some(({ isNearLimit }) => isNearLimit);
      if (isExcluded || !(await wantsLenient(deps, request))) throw invalidInput(...faults);
      // Members beyond those that can be listed are not ignored: one of them may be a misspelt limit.
      if (unknown.length > MAX_NAMED) throw invalidInput(TOO_MANY_TO_IGNORE, ...faults);
      if (preferredHandling(request) === 'lenient') addHeader(request, 'Preference-Applied', 'handling=lenient');
    }
    const ignored = [...unknown.map(({ pointer }) => pointer), ...withoutEffect];
    addHeader(request, 'Grove-Ignored', headerOf(ignored));
  };

  return (request, _reply, done) => {
    const members: Members = { unknown: [], withoutEffect: [], tenantId: request.principal?.tenantId };
    readBody?.(request.body, '', members);
    readQuery?.(request.query, QUERY, members);
    if (members.unknown.length === 0 && members.withoutEffect.length === 0) return done();
    settle(request, members).then(() => done(), done);
  };
}

/** A DELETE declares no body, so the members that a client sends in one, such as a condition, are refused. */
function bodyReader({ auth, consumes, body, ok }: GroupedOperation): ReadMembers | undefined {
  if (consumes) return undefined;
  if (body) return memberReader(body, ok);
  // A browser that follows a redirect with 307 sends the former body again.
  return auth === 'public' ? undefined : memberReader({ type: 'object' });
}

async function wantsLenient(deps: CheckMembersDeps, request: FastifyRequest): Promise<boolean> {
  const handling = preferredHandling(request);
  if (handling !== undefined) return handling === 'lenient';
  return request.principal !== null && (await deps.isLenient(request.principal));
}

const HANDLING = /(?:^|,)\s*handling\s*=\s*"?(lenient|strict)"?\s*(?=[,;]|$)/i;

/** The `handling` preference of the request (RFC 7240, 4.4). */
function preferredHandling({ headers: { prefer } }: FastifyRequest): 'lenient' | 'strict' | undefined {
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer;
  return HANDLING.exec(text ?? '')?.[1]?.toLowerCase() as 'lenient' | 'strict' | undefined;
}

const MAX_POINTER_LENGTH = 200;

/** Percent-encodes commas, which separate the entries, and everything that is not ASCII. */
function headerOf(pointers: readonly string[]): string {
  const shownPointers = pointers.map((pointer) => {
    const text = pointer.toWellFormed().replace(/[^\x21-\x7e]|,/gu, encodeURIComponent);
    return text.slice(0, MAX_POINTER_LENGTH);
  });
  return shownPointers.join(', ');
}
