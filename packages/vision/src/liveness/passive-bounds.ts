/**
 * What the score of one picture means. Below the first bound it is not taken for a living person's; between the two a
 * human decides; from the second on no attack was seen, which is not the same as a living person (`docs/vision.md`).
 */
export const PASSIVE_BOUNDS = { notLive: 0.5, noAttackSeen: 0.8 } as const;
