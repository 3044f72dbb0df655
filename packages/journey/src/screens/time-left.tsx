import { useEffect, useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { minutesLeft, WARN_MS } from '../minutes-left.ts';
import { Icon } from '../ui/icons.tsx';

/** Warns that a step is about to expire; once it has, the journey is read again (WCAG 2.2.1). */
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
  // Called once when the time is over: the server's state then says whether the step has really expired.
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
