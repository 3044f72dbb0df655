import { useEffect, useState } from 'react';
import { useT } from '../texts/texts.tsx';

/** The picture of a face that was chosen but not uploaded yet. It is blurred until the pointer is over it. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users see it by moving the focus to it.
    <span className="blurred" tabIndex={0}>
      <img src={url} alt={t('watchlists.chosenPicture')} />
    </span>
  );
}
