import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Title } from '../ui/title.tsx';
import { browserOf, settingsPlaceOf } from './camera/browser.ts';
import type { CameraFault } from './camera/camera-fault.ts';
import { NoCameraFigure } from './figures.tsx';
import { OtherWays, type Ways } from './other-ways.tsx';

/** Why there is no picture, what to do about it in this browser, and every other way there is. Never a dead end. */
type TroubleProps = { t: Translate; fault: CameraFault; ways: Ways; onAgain(): void };

/** With these the way to the settings helps. */
const SETTINGS: ReadonlySet<CameraFault> = new Set(['denied', 'deniedBySystem']);
/** With these it would be the same again. */
const HOPELESS: ReadonlySet<CameraFault> = new Set(['noApi', 'insecure']);

export function CameraTrouble({ t, fault, ways, onAgain }: TroubleProps) {
  const settingsPlace = settingsPlaceOf(browserOf(navigator.userAgent, navigator.maxTouchPoints));
  return (
    <div data-camera-fault={fault} class="stack">
      <NoCameraFigure />
      <Title>{t(`camera.fault.${fault}`)}</Title>
      <p class="lead">{t(`camera.fault.${fault}.text`)}</p>
      {SETTINGS.has(fault) && (
        <div class="panel tinted">
          <p>
            <strong>{t('camera.settings')}</strong>
          </p>
          <p>{t(fault === 'deniedBySystem' ? 'camera.settings.system' : `camera.settings.${settingsPlace}`)}</p>
        </div>
      )}
      <div class="actions">
        {!HOPELESS.has(fault) && (
          <Button kind="primary" onPress={onAgain}>
            {t('camera.again')}
          </Button>
        )}
        <OtherWays t={t} ways={ways} />
      </div>
    </div>
  );
}
