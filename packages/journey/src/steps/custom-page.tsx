import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { embedQuery } from '../embed.ts';
import { type LocalText, OwnText } from '../i18n/own-text.tsx';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { Reference } from '../ui/error-note.tsx';
import { Again } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import { MAX_MESSAGES, processCommand, readPageMessage } from './page-messages.ts';
import type { StepProps } from './step.ts';

/**
 * A page of the tenant in a frame that shares nothing with ours: no origin, no cookies, no camera. It sends READY,
 * receives its data, and sends what the end user did. A page that does not respond, sends invalid or endless messages
 * or navigates elsewhere is removed, and the end user has a way on.
 */
const READY_WITHIN_MS = 10_000;

type Settings = { url?: string; page?: string; title?: LocalText; constants?: Record<string, string> };

export function CustomPageStep(props: StepProps) {
  const { step, t, unable } = props;
  const { url } = step.settings as Settings;
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState<unknown>(url ? undefined : 'page');
  if (fault === undefined && url) return <Page key={round} {...props} url={url} onFault={setFault} />;
  const again = () => {
    setFault(undefined);
    setRound(round + 1);
  };
  return (
    <>
      <Again />
      <Title>{t('page.fault')}</Title>
      <p class="lead">{t('page.fault.text')}</p>
      <Reference t={t} error={fault} />
      <div class="actions">
        {url && (
          <Button kind="primary" onPress={again}>
            {t('again')}
          </Button>
        )}
        <Button onPress={unable}>{t('unable')}</Button>
      </div>
    </>
  );
}

/**
 * Passes on the origin around the journey, which frames the custom page, too, and is checked against the list again.
 */
function withEmbed(url: string): string {
  const { embed } = embedQuery();
  return embed === undefined ? url : `${url}?${new URLSearchParams({ embed })}`;
}

type PageProps = StepProps & { url: string; onFault(fault: unknown): void };

function Page({ journey, step, t, language, submit, unable, url, onFault }: PageProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { constants = {}, title } = step.settings as Settings;
  const sessionData = { language, environment: journey.environment, tenantName: journey.tenantName };
  const { isReady, onLoad } = useConversation(frame, { constants, sessionData, submit, onFault });

  return (
    <>
      <Title>
        {title === undefined ? (
          t('page.title', { tenant: journey.tenantName })
        ) : (
          <OwnText text={title} language={language} />
        )}
      </Title>
      {!isReady && <p role="status">{t('loading')}</p>}
      <iframe
        ref={frame}
        class="page-frame"
        title={t('page.frame', { tenant: journey.tenantName })}
        src={withEmbed(url)}
        onLoad={onLoad}
        sandbox="allow-scripts allow-forms"
        referrerpolicy="no-referrer"
        allow=""
      />
      <Button kind="quiet" onPress={unable}>
        {t('unable')}
      </Button>
    </>
  );
}

type Conversation = Pick<PageProps, 'submit' | 'onFault'> & {
  constants: Record<string, string>;
  sessionData: Parameters<typeof processCommand>[1];
};

/** Sends the page in the frame its data, and receives its messages. */
function useConversation(
  frame: RefObject<HTMLIFrameElement | null>,
  { constants, sessionData, submit, onFault }: Conversation,
) {
  const [ready, setReady] = useState(false);
  const isReady = useRef(false);
  const loads = useRef(0);
  // The data is sent after the first load only: a page that navigated elsewhere has loaded twice. The target origin is
  // `*`, because the sandboxed frame has none.
  const sendData = () => frame.current?.contentWindow?.postMessage(processCommand(constants, sessionData), '*');
  // No policy prevents a frame from navigating elsewhere, but its second load shows that it did.
  const onLoad = () => {
    loads.current += 1;
    if (loads.current > 1) onFault('moved');
    else if (isReady.current) sendData();
  };

  // The conversation lasts while the page is shown.
  useEffect(() => {
    let messages = 0;
    let sending = false;
    const timer = setTimeout(() => onFault('late'), READY_WITHIN_MS);
    const hear = async ({ source, data }: MessageEvent) => {
      const page = frame.current?.contentWindow;
      if (!page || source !== page) return;
      messages += 1;
      if (messages > MAX_MESSAGES) return onFault('flood');
      const message = readPageMessage(data);
      if (message.kind === 'bad') return onFault('bad');
      if (message.kind === 'ready') {
        clearTimeout(timer);
        setReady(true);
        isReady.current = true;
        if (loads.current > 0) sendData();
      }
      if (message.kind !== 'send' || sending) return;
      sending = true;
      await submit(message.variables).catch((error) => onFault(error instanceof Problem ? error : 'submit'));
      sending = false;
    };
    addEventListener('message', hear);
    return () => {
      clearTimeout(timer);
      removeEventListener('message', hear);
    };
  }, []);

  return { isReady: ready, onLoad };
}
