import { useEffect, useRef, useState } from 'preact/hooks';
import { type EmbedEvent, tell } from '../embed.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Devices } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/**
 * The browser keeps no cookie for this frame, so the journey continues in a window of its own. The code is not spent
 * yet. The events of that window are passed on to the page around this frame.
 */
export function OwnWindowScreen({ t }: { t: Translate }) {
  const opened = useRef<Window | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source === null || source !== opened.current || origin !== location.origin) return;
      const { from, ...event } = data as { from?: string } & EmbedEvent;
      if (from === 'grove-journey' && event.type !== 'size') tell(event);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  const open = () => {
    opened.current = window.open(location.href, '_blank');
    setIsOpen(opened.current !== null);
  };
  return (
    <>
      <Devices />
      <Title>{t('ownWindow.title')}</Title>
      <p class="lead" role="status">
        {t(isOpen ? 'ownWindow.opened' : 'ownWindow.text')}
      </p>
      <div class="actions">
        <Button kind="primary" onPress={open}>
          {t('ownWindow.open')}
        </Button>
      </div>
    </>
  );
}
