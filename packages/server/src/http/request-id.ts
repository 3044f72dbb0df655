import { randomBytes } from 'node:crypto';

/** Unique without asking for randomness each time: where this process started, and how many requests it has seen. */
export function requestIds(): () => string {
  const start = randomBytes(9).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${start}${count.toString(36)}`;
  };
}
