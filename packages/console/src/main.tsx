import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CallError } from './api/client.ts';
import { SESSION_KEY, SessionProvider } from './api/session.tsx';
import { Waiting } from './parts/states.tsx';
import { router } from './router.tsx';
import { Invitation } from './screens/invitation.tsx';
import { SignIn } from './screens/sign-in.tsx';
import { TextsProvider } from './texts/texts.tsx';
import { theme, variables } from './theme.ts';

const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';
// For the part of the kit that keeps the page from scrolling behind a dialog.
setNonce(nonce);

/** A session that has ended shows the page to sign in, wherever that was noticed. */
const onError = (error: Error) => {
  if (error instanceof CallError && error.code === 100210) client.setQueryData(SESSION_KEY, null);
};
const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: 1, staleTime: 5000 } },
});

/** The code of a link is in the fragment. It is taken out of the address at once. */
function codeFromLink(): string | undefined {
  const code = /^#invite=([\w-]{1,200})$/.exec(location.hash)?.[1];
  if (code) history.replaceState(null, '', location.pathname);
  return code;
}

function App({ code: first }: { code: string | undefined }) {
  const [code, setCode] = useState(first);
  if (code) return <Invitation code={code} onJoined={() => setCode(undefined)} />;
  return (
    <SessionProvider signedOut={<SignIn />} waiting={<Waiting />}>
      <RouterProvider router={router} />
    </SessionProvider>
  );
}

const code = codeFromLink();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <TextsProvider>
      {({ dir }) => (
        <DirectionProvider key={dir} initialDirection={dir} detectDirection={false}>
          <MantineProvider
            theme={theme}
            cssVariablesResolver={variables}
            defaultColorScheme="auto"
            getStyleNonce={() => nonce}
          >
            <Notifications position="bottom-right" />
            <QueryClientProvider client={client}>
              <App code={code} />
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      )}
    </TextsProvider>
  </StrictMode>,
);
