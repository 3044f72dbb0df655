import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { DirectionContext, MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { isForbidden, isSessionOver } from './api/client.ts';
import { endSession, SESSION_KEY, SessionProvider } from './api/session.tsx';
import { lazily, whenUnreachable } from './api/when-unreachable.ts';
import { Failed, Waiting } from './parts/states.tsx';
import { router } from './router.tsx';
import { TextsProvider } from './texts/texts.tsx';
import { theme, variables } from './theme.ts';

const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';
// For the library that keeps the page from scrolling behind a dialog.
setNonce(nonce);

const Notifications = lazily(() => import('@mantine/notifications'), 'Notifications');

const Invitation = lazily(() => import('./screens/invitation.tsx'), 'Invitation');
const ProviderAnswer = lazily(() => import('./screens/provider-answer.tsx'), 'ProviderAnswer');
const EmailLink = lazily(() => import('./screens/email-link.tsx'), 'EmailLink');
const SignIn = lazily(() => import('./screens/sign-in.tsx'), 'SignIn');

/**
 * Shows the sign-in page when any call finds the session expired. After a refusal the session is read again: the role
 * may have changed, and the screen then offers what the new one permits.
 */
const onError = (error: Error) => {
  if (isSessionOver(error)) endSession(client);
  else if (isForbidden(error)) void client.invalidateQueries({ queryKey: SESSION_KEY });
};
const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: 1, staleTime: 5000, refetchInterval: whenUnreachable } },
});

/** Takes the code of a link from the fragment, and removes it from the address at once. */
function codeFromLink(kind: 'invite' | 'email'): string | undefined {
  const code = new RegExp(`^#${kind}=([\\w-]{1,200})$`).exec(location.hash)?.[1];
  if (code) history.replaceState(null, '', location.pathname);
  return code;
}

/** Takes the response of a single sign-on provider from the query, and removes it from the address at once. */
function answerFromProvider(): string | undefined {
  if (!location.pathname.endsWith('/console/single-sign-on') || location.search === '') return undefined;
  const { search } = location;
  history.replaceState(null, '', '/console/');
  return search;
}

type AppProps = { code: string | undefined; emailCode: string | undefined; answer: string | undefined };

function App({ code: first, emailCode: firstEmailCode, answer: firstAnswer }: AppProps) {
  const [code, setCode] = useState(first);
  const [emailCode, setEmailCode] = useState(firstEmailCode);
  const [answer, setAnswer] = useState(firstAnswer);
  if (emailCode) {
    return (
      <Suspense fallback={<Waiting />}>
        <EmailLink code={emailCode} onDone={() => setEmailCode(undefined)} />
      </Suspense>
    );
  }
  if (answer) {
    return (
      <Suspense fallback={<Waiting />}>
        <ProviderAnswer query={answer} onDone={() => setAnswer(undefined)} />
      </Suspense>
    );
  }
  if (code) {
    return (
      <Suspense fallback={<Waiting />}>
        <Invitation code={code} onJoined={() => setCode(undefined)} />
      </Suspense>
    );
  }
  return (
    <SessionProvider
      signedOut={(hasEnded) => (
        <Suspense fallback={<Waiting />}>
          <SignIn hasEnded={hasEnded} />
        </Suspense>
      )}
      waiting={<Waiting />}
      failed={(error, retry) => <Failed error={error} retry={retry} />}
    >
      <RouterProvider router={router} />
    </SessionProvider>
  );
}

// A link that is opened in a tab with the console changes only the fragment, so the page is reloaded.
addEventListener('hashchange', () => /^#(invite|email)=/.test(location.hash) && location.reload());
const code = codeFromLink('invite');
const emailCode = codeFromLink('email');
const answer = answerFromProvider();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <TextsProvider>
      {({ dir }) => (
        <DirectionContext value={{ dir, toggleDirection: () => undefined, setDirection: () => undefined }}>
          <MantineProvider
            theme={theme}
            cssVariablesResolver={variables}
            defaultColorScheme="auto"
            getStyleNonce={() => nonce}
          >
            <Suspense fallback={null}>
              <Notifications position="bottom-right" />
            </Suspense>
            <QueryClientProvider client={client}>
              <App code={code} emailCode={emailCode} answer={answer} />
            </QueryClientProvider>
          </MantineProvider>
        </DirectionContext>
      )}
    </TextsProvider>
  </StrictMode>,
);
