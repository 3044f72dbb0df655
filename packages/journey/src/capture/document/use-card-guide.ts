import { useEffect, useState } from 'preact/hooks';
import { type CardGuide, openCardGuide } from './card-finder.ts';

/** Loads the guide while the end user still reads. `undefined` until then, `null` if this browser has none. */
export function useCardGuide(): CardGuide | null | undefined {
  const [guide, setGuide] = useState<CardGuide | null | undefined>();
  useEffect(() => {
    let current: CardGuide | null | undefined;
    let isGone = false;
    void openCardGuide().then((opened) => {
      current = opened;
      if (isGone) opened?.close();
      else setGuide(opened);
    });
    return () => {
      isGone = true;
      current?.close();
    };
  }, []);
  return guide;
}
