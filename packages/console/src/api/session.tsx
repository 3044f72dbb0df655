import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Activity, createContext, type ReactNode, useContext, useEffect } from 'react';
import { CallError, call, type Group, type Name, permissionOf, type Result } from './client.ts';
import { currentEnvironment, setEnvironment } from './environment.ts';

/** The signed-in operator and their permissions. */
export type Session = Result<'consoleAccount', 'getSession'>;

const Context = createContext<Session | undefined>(undefined);
export const SESSION_KEY = ['session'];
/** The time for which the input of an expired session stays in memory, hidden, until the same person signs in again. */
const WORK_KEPT_MS = 1_800_000;

/** The session, which may have expired, or null if nobody is signed in. */
type StoredSession = (Session & { isOver?: true }) | null;

/** Stores the session. It cancels pending requests first, because their response is about the previous session. */
function storeSession(client: QueryClient, session: StoredSession): void {
  void client.cancelQueries({ queryKey: SESSION_KEY });
  client.setQueryData<StoredSession>(SESSION_KEY, session);
}

/** Hides the operator's work after the server has rejected the session. */
export function endSession(client: QueryClient): void {
  storeSession(client, sessionThatIsOver(client));
}

function sessionThatIsOver(client: QueryClient): StoredSession {
  const before = client.getQueryData<StoredSession>(SESSION_KEY);
  return before ? { ...before, isOver: true } : null;
}

/** Removes all data from the memory of the page, because it is personal. */
export function forgetSession(client: QueryClient): void {
  storeSession(client, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/** Stores the session of an operator; if it is another person, everything of the previous one is removed. */
export function beginSession(client: QueryClient, session: Session): void {
  const before = client.getQueryData<StoredSession>(SESSION_KEY);
  if (before && before.operator.id !== session.operator.id) forgetSession(client);
  storeSession(client, session);
}

type SessionProviderProps = {
  children: ReactNode;
  /** Shown without a session; with `hasEnded` the session on this page has expired. */
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
    const timer = setTimeout(() => forgetSession(client), WORK_KEPT_MS);
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

/** Whether the role permits the calls of the screen that tries a verification. */
export function canTry(may: May): boolean {
  return may('processTokens', 'create') && may('processInstances', 'create') && may('processDefinitions', 'list');
}

/** Operations that masked roles cannot call: their responses show the person, so the server refuses them. */
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

/** Whether the role permits an operation, to decide what is shown. The server checks it anyway. */
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
