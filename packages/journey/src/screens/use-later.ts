import { useEffect, useState } from 'preact/hooks';

/** Code that few pages need, loaded when one does. Until then, and where it cannot be loaded, there is nothing to show. */
export function useLater<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [chunk, setChunk] = useState<{ code: T }>();
  // What is loaded does not change, so it is asked for once.
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
