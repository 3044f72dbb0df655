import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { CallError, call, type Group, type Name, permissionOf, type Result } from './client.ts';
import { currentEnvironment, setEnvironment } from './environment.ts';

/** Who is signed in, and what they may do. */
export type Session = Result<'consoleAccount', 'getSession'>;

const Context = createContext<Session | undefined>(undefined);
export const SESSION_KEY = ['session'];

export function SessionProvider({
  children,
  signedOut,
  waiting,
}: {
  children: ReactNode;
  signedOut: ReactNode;
  waiting: ReactNode;
}) {
  const query = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => call('consoleAccount', 'getSession', {}).catch(nobody),
    staleTime: 60_000,
    retry: false,
  });
  const session = query.data;
  useEffect(() => {
    const [first] = session?.environments ?? [];
    if (first && !session?.environments.includes(currentEnvironment())) setEnvironment(first);
  }, [session]);
  if (query.isPending) return waiting;
  if (!session) return signedOut;
  return <Context value={session}>{children}</Context>;
}

function nobody(error: unknown): null {
  if (error instanceof CallError && (error.status === 401 || error.code === 100221)) return null;
  throw error;
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
