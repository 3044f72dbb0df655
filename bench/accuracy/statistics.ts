/** The similarity of a pair, and whether its two pictures show the same person. */
export type Scored = { readonly similarity: number; readonly same: boolean; readonly fold: number };

export type RocPoint = { readonly falseAccept: number; readonly trueAccept: number; readonly threshold: number };

/** Each fold is judged by the threshold that is best for the other nine, so no pair influences its own judgement. */
export function tenFoldAccuracy(pairs: readonly Scored[]): { mean: number; deviation: number } {
  const folds = [...new Set(pairs.map(({ fold }) => fold))];
  const accuracies = folds.map((fold) => {
    const others = pairs.filter((pair) => pair.fold !== fold);
    const threshold = bestThreshold(others.length > 0 ? others : pairs);
    const own = pairs.filter((pair) => pair.fold === fold);
    return own.filter(({ similarity, same }) => similarity >= threshold === same).length / own.length;
  });
  const mean = accuracies.reduce((sum, each) => sum + each, 0) / accuracies.length;
  const variance = accuracies.reduce((sum, each) => sum + (each - mean) ** 2, 0) / accuracies.length;
  return { mean, deviation: Math.sqrt(variance) };
}

/** The threshold with the most pairs on the right side, half-way between two similarities. */
export function bestThreshold(pairs: readonly Scored[]): number {
  const sorted = [...pairs].sort((one, other) => other.similarity - one.similarity);
  let right = pairs.filter(({ same }) => !same).length;
  let best = right;
  let threshold = (sorted[0]?.similarity ?? 0) + 1;
  sorted.forEach(({ same, similarity }, at) => {
    right += same ? 1 : -1;
    const next = sorted[at + 1]?.similarity ?? similarity - 1;
    if (right > best && next < similarity) {
      best = right;
      threshold = (similarity + next) / 2;
    }
  });
  return threshold;
}

/** The share of true pairs that is accepted if at most this share of strangers is accepted. */
export function acceptedAt(pairs: readonly Scored[], falseAccept: number): RocPoint {
  const strangers = pairs
    .filter(({ same }) => !same)
    .map(({ similarity }) => similarity)
    .sort((one, other) => other - one);
  const allowed = Math.floor(falseAccept * strangers.length);
  const threshold = strangers[allowed] ?? Number.NEGATIVE_INFINITY;
  const own = pairs.filter(({ same }) => same);
  const accepted = own.filter(({ similarity }) => similarity > threshold).length;
  return { falseAccept, trueAccept: own.length === 0 ? 0 : accepted / own.length, threshold };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
