import { useEffect, useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { minutesLeft, WARN_MS } from '../minutes-left.ts';
import { Icon } from '../ui/icons.tsx';

/** Says in good time that a step ends; when it has ended, the server is asked what comes now (WCAG 2.2.1). */
const LOOK_EVERY_MS = 5_000;

export function TimeLeft({ t, journey, onOver }: { t: Translate; journey: Journey; onOver(): void }) {
  const until = journey.step?.expiringDtm;
  const [now, setNow] = useState(() => Date.now());
  const leftMs = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until) - now;
  useEffect(() => {
    if (until === undefined) return;
    const timer = setInterval(() => setNow(Date.now()), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [until]);
  const over = leftMs <= 0;
  // Once, when the time is over: what is read then says whether it really is.
  useEffect(() => {
    if (over) onOver();
  }, [over]);
  return (
    <div role="status">
      {leftMs < WARN_MS && !over && (
        <p class="banner">
          <Icon name="clock" />
          {t('time.left', { minutes: minutesLeft(leftMs), tenant: journey.tenantName })}
        </p>
      )}
    </div>
  );
}
