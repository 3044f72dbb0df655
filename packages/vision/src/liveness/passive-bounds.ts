/**
 * The meaning of a picture's score. Below the first bound it does not count as a living person's; between the two a
 * human decides; from the second on no attack was seen, which does not prove a living person (`docs/vision-liveness.md`).
 */
export const PASSIVE_BOUNDS = { notLive: 0.5, noAttackSeen: 0.8 } as const;
