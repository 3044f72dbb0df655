import { useEffect, useState } from 'preact/hooks';

/** Loads code that few pages need. It is undefined until then, and if it cannot be loaded. */
export function useLater<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [chunk, setChunk] = useState<{ code: T }>();
  // `load` never changes, so it is called once.
  useEffect(() => {
    if (isWanted && !chunk) {
      load().then(
        (code) => setChunk({ code }),
        () => undefined,
      );
    }
  }, [isWanted]);
  return chunk?.code;
}
