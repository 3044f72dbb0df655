import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { FileButton } from './file-button.tsx';
import { CaptureIcon } from './icons.tsx';
import type { ChosenFile } from './picture/picture.ts';

/** What there is beside the camera of this device, as far as the relying party allows it. */
export type Ways = {
  onFile?: ((file: ChosenFile) => void) | undefined;
  /** Whether the file may be a PDF. */
  pdf?: boolean | undefined;
  onPhone?: (() => void) | undefined;
  /** In the sandbox, where nobody looks at the picture. */
  sample?: { label: string; busy: boolean; use(): void } | undefined;
  onUnable?: (() => void) | undefined;
  /** The same for who has tried several times: not a way out to be looked for, but one of two. */
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

/** What else can be done about it; what there is nothing to do about is left out. */
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

/** A computer, as far as a page can tell: a phone has a finger for a pointer. */
export function isComputer(): boolean {
  return matchMedia('(pointer: fine)').matches && navigator.maxTouchPoints === 0;
}
