import { useEffect, useRef } from 'react';
import type { Result } from '../api/client.ts';
import { useSession } from '../api/session.tsx';

/** The address and the messages of the journey's preview-page.tsx. */
const ADDRESS = '/web/preview';
const SHOW = 'grove-preview';
const READY = 'grove-preview-ready';

type Theme = Pick<Result<'themes', 'list'>['content'][number], 'palette' | 'radius' | 'fontFamily'> & {
  name: string;
  logoUrl?: string | undefined;
};
type JourneyPreviewProps = {
  settings: Readonly<Record<string, unknown>>;
  language: string;
  theme?: Theme;
  label: string;
  className?: string;
};

/** Shows a form as end users see it, by a page of the journey itself. Its input is sent nowhere. */
export function JourneyPreview({ settings, language, theme, label, className = 'phone' }: JourneyPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { tenantName } = useSession();
  const message = JSON.stringify({ type: SHOW, settings, language, theme, tenantName });
  useEffect(() => {
    const show = () => frame.current?.contentWindow?.postMessage(JSON.parse(message), location.origin);
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && origin === location.origin && data?.type === READY) show();
    };
    addEventListener('message', hear);
    show();
    return () => removeEventListener('message', hear);
  }, [message]);
  return <iframe ref={frame} src={ADDRESS} title={label} className={className} />;
}
