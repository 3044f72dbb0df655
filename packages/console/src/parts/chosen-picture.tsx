import { useEffect, useState } from 'react';
import { useT } from '../texts/texts.tsx';

/** A picture of a face that was chosen and is not sent yet. It is blurred until somebody points at it. */
export function ChosenPicture({ file }: { file: File | null }) {
  const t = useT();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!file) return setUrl(undefined);
    const objectUrl = URL.createObjectURL(file);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [file]);
  if (!url) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever works by keyboard sees it by moving to it.
    <span className="blurred" tabIndex={0}>
      <img src={url} alt={t('watchlists.chosenPicture')} />
    </span>
  );
}
