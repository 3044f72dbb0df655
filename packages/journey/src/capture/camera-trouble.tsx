import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Title } from '../ui/title.tsx';
import { browserOf, settingsPlaceOf } from './camera/browser.ts';
import type { CameraFault } from './camera/camera-fault.ts';
import { NoCameraFigure } from './figures.tsx';
import { OtherWays, type Ways } from './other-ways.tsx';

/** Explains why there is no picture and what to do in this browser, and offers every other way. */
type TroubleProps = { t: Translate; fault: CameraFault; ways: Ways; onAgain(): void };

/** The faults for which the camera settings are the remedy. */
const SETTINGS: ReadonlySet<CameraFault> = new Set(['denied', 'deniedBySystem']);
/** The faults for which trying again cannot help. */
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
