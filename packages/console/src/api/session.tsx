import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Activity, createContext, type ReactNode, useContext, useEffect } from 'react';
import { CallError, call, type Group, type Name, permissionOf, type Result } from './client.ts';
import { currentEnvironment, setEnvironment } from './environment.ts';

/** Who is signed in, and what they may do. */
export type Session = Result<'consoleAccount', 'getSession'>;

const Context = createContext<Session | undefined>(undefined);
export const SESSION_KEY = ['session'];
/** A session that is over keeps what was typed for so long, hidden, until the same person signs in again. */
const KEPT_MS = 1_800_000;

/** What the page knows: the session, which may be over, or null if nobody is signed in. */
type StoredSession = (Session & { isOver?: true }) | null;

/** An answer that is still under way is about the session of before, so it must not replace this one. */
function storeSession(client: QueryClient, session: StoredSession): void {
  void client.cancelQueries({ queryKey: SESSION_KEY });
  client.setQueryData<StoredSession>(SESSION_KEY, session);
}

/** The server does not know the session any more. What the operator was doing stays, hidden. */
export function endSession(client: QueryClient): void {
  storeSession(client, sessionThatIsOver(client));
}

function sessionThatIsOver(client: QueryClient): StoredSession {
  const before = client.getQueryData<StoredSession>(SESSION_KEY);
  return before ? { ...before, isOver: true } : null;
}

/** Nothing of a person stays in the memory of the page. */
export function forgetSession(client: QueryClient): void {
  storeSession(client, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/** Somebody else sees nothing of what was there before. */
export function beginSession(client: QueryClient, session: Session): void {
  const before = client.getQueryData<StoredSession>(SESSION_KEY);
  if (before && before.operator.id !== session.operator.id) forgetSession(client);
  storeSession(client, session);
}

type SessionProviderProps = {
  children: ReactNode;
  /** Whoever was signed in on this page is asked to come back. */
  signedOut(hasEnded: boolean): ReactNode;
  waiting: ReactNode;
  failed(error: unknown, retry: () => void): ReactNode;
};

export function SessionProvider({ children, signedOut, waiting, failed }: SessionProviderProps) {
  const client = useQueryClient();
  const query = useQuery<StoredSession>({
    queryKey: SESSION_KEY,
    queryFn: () => call('consoleAccount', 'getSession', {}).catch((error) => nobody(client, error)),
    staleTime: 60_000,
    retry: false,
  });
  const session = query.data;
  const isOver = session?.isOver ?? false;
  useEffect(() => {
    const [first] = session?.environments ?? [];
    if (first && !session?.environments.includes(currentEnvironment())) setEnvironment(first);
  }, [session]);
  useEffect(() => {
    if (!isOver) return;
    const timer = setTimeout(() => forgetSession(client), KEPT_MS);
    return () => clearTimeout(timer);
  }, [isOver, client]);
  if (query.isPending) return waiting;
  if (session === undefined) return failed(query.error, () => query.refetch());
  if (session === null) return signedOut(false);
  return (
    <>
      <Activity key={session.operator.id} mode={isOver ? 'hidden' : 'visible'}>
        <Context value={session}>{children}</Context>
      </Activity>
      {isOver && signedOut(true)}
    </>
  );
}

function nobody(client: QueryClient, error: unknown): StoredSession {
  if (!(error instanceof CallError) || (error.status !== 401 && error.code !== 100221)) throw error;
  return sessionThatIsOver(client);
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error('nobody is signed in');
  return session;
}

export type May = <G extends Group>(group: G, name: Name<G>) => boolean;

/** Whether the role permits what the screen that tries a verification calls. */
export function canTry(may: May): boolean {
  return may('processTokens', 'create') && may('processInstances', 'create') && may('processDefinitions', 'list');
}

/** Operations that a masked role cannot call: their answers show the person, so the server refuses them. */
const NEEDS_SIGHT: readonly string[] = [
  'userData.getItem',
  'userData.archive',
  'personRequests.archive',
  'processInstances.createResumeLink',
  'instanceExports.create',
  'instanceExports.list',
  'reviews.correct',
  'watchlists.addMember',
];

/** Whether the role permits an operation. The server refuses it anyway; this is for what to show. */
export function useMay(): May {
  const { permissions, tenantId, masked } = useSession();
  const prefix = `TNT#${tenantId}#`;
  const grants = permissions.map((each) => each.slice(prefix.length));
  return (group, name) => {
    if (masked && NEEDS_SIGHT.includes(`${group}.${name}`)) return false;
    const permission = permissionOf(group, name);
    return grants.some((each) => (each.endsWith('*') ? permission.startsWith(each.slice(0, -1)) : each === permission));
  };
}
