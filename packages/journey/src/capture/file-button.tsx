import { useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { PHOTO_TYPES } from '../page-rules.ts';
import { Icon } from '../ui/icons.tsx';
import { CaptureIcon } from './icons.tsx';
import { BadFile, type ChosenFile, PDF_TYPE, pictureOfFile } from './picture/picture.ts';

/** Offers a photograph from the device instead of the camera. A file that cannot be used is explained. */
type FileButtonProps = {
  t: Translate;
  /** True if a PDF is accepted, too. */
  pdf?: boolean | undefined;
  onFile(file: ChosenFile): void;
};

export function FileButton({ t, pdf = false, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    setFault(undefined);
    try {
      onFile(await pictureOfFile(file, { pdf }));
    } catch (error) {
      setFault(faultKey(error));
    }
    setBusy(false);
    // An empty input lets the same file be chosen again.
    if (input.current) input.current.value = '';
  };
  return (
    <div class="file">
      <input
        ref={input}
        type="file"
        accept={pdf ? `${PHOTO_TYPES},${PDF_TYPE}` : PHOTO_TYPES}
        hidden
        onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
      />
      <button type="button" class="button" aria-busy={busy} onClick={() => !busy && input.current?.click()}>
        {busy ? <span class="spinner" aria-hidden="true" /> : <CaptureIcon name="file" />}
        {t(pdf ? 'camera.fileOrPdf' : 'camera.file')}
      </button>
      <div role="alert">
        {fault && (
          <p class="error">
            <Icon name="warning" />
            <span>{t(fault)}</span>
          </p>
        )}
      </div>
    </div>
  );
}

/** Only the kinds of files that people really choose have a text of their own. */
function faultKey(error: unknown): string {
  if (!(error instanceof BadFile)) return 'file.unreadable';
  if (error.fault === 'tooLarge' && error.kind === 'pdf') return 'file.tooLarge.pdf';
  if (error.fault !== 'wrongType') return `file.${error.fault}`;
  return error.kind === 'heic' || error.kind === 'pdf' ? `file.wrongType.${error.kind}` : 'file.wrongType';
}
