import { useEffect, useState } from 'preact/hooks';
import { type FaceFinder, openFaceFinder } from './face-finder.ts';

/** Loads the finder while the end user still reads. `undefined` until then, `null` if this browser has none. */
export function useFaceFinder(isWanted = true): FaceFinder | null | undefined {
  const [finder, setFinder] = useState<FaceFinder | null | undefined>();
  useEffect(() => {
    if (!isWanted) return;
    const end = new AbortController();
    void openFaceFinder(end.signal).then((opened) => {
      if (end.signal.aborted) opened?.close();
      else setFinder(opened);
    });
    return () => end.abort();
  }, [isWanted]);
  return finder;
}
