/**
 * Lets a few callers begin in each turn of the event loop, in the order in which they came. Callers that begin together
 * run to their first real wait without a pause, and all other requests wait for them.
 */
export function fewPerTurn(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let count = 0;
  let isCounting = false;

  const nextTurn = () => {
    count = Math.min(most, waiting.length);
    for (const begin of waiting.splice(0, most)) begin();
    isCounting = count > 0;
    if (isCounting) setImmediate(nextTurn);
  };

  return () => {
    if (!isCounting) setImmediate(nextTurn);
    isCounting = true;
    if (count >= most) return new Promise((begin) => waiting.push(begin));
    count += 1;
    return Promise.resolve();
  };
}
