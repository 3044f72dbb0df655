import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { FileButton } from './file-button.tsx';
import { CaptureIcon } from './icons.tsx';
import type { ChosenFile } from './picture/picture.ts';

/** The alternatives to the camera of this device, as far as the relying party allows them. */
export type Ways = {
  onFile?: ((file: ChosenFile) => void) | undefined;
  /** True if the file may be a PDF. */
  pdf?: boolean | undefined;
  onPhone?: (() => void) | undefined;
  /** A sample image in the sandbox, where nobody looks at the picture. */
  sample?: { label: string; busy: boolean; use(): void } | undefined;
  onUnable?: (() => void) | undefined;
  /** Like `onUnable`, but offered beside the camera to end users who have failed several times. */
  onPerson?: (() => void) | undefined;
};

export function OtherWays({ t, ways }: { t: Translate; ways: Ways }) {
  const { onFile, pdf, onPhone, sample, onUnable, onPerson } = ways;
  return (
    <>
      {onPerson && <Button onPress={onPerson}>{t('camera.person')}</Button>}
      {onFile && <FileButton t={t} pdf={pdf} onFile={onFile} />}
      {onPhone && <Button onPress={onPhone}>{t('camera.phone')}</Button>}
      {sample && (
        <Button busy={sample.busy} onPress={sample.use}>
          <CaptureIcon name="file" />
          {sample.label}
        </Button>
      )}
      {onUnable && !onPerson && (
        <Button kind="quiet" onPress={onUnable}>
          {t('camera.unable')}
        </Button>
      )}
    </>
  );
}

/** Further actions; those without a handler are left out. */
export type More = readonly { label: string; onPress: (() => void) | undefined }[];

export function MoreWays({ more }: { more: More }) {
  return (
    <>
      {more.map(
        ({ label, onPress }) =>
          onPress && (
            <Button key={label} kind="quiet" onPress={onPress}>
              {label}
            </Button>
          ),
      )}
    </>
  );
}

/** Guesses from the pointer: that of a phone is a finger. */
export function isComputer(): boolean {
  return matchMedia('(pointer: fine)').matches && navigator.maxTouchPoints === 0;
}
