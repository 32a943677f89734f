/** How well scores part pairs that are one party's from pairs that are not. */

/** One pair's score and label. */
export interface Scored {
  readonly score: number;
  readonly isSame: boolean;
}

/** F1 at its best cut, area under the curve, and recall at a precision of .9. */
export interface PairFigures {
  readonly f1: number;
  readonly cut: number;
  readonly auc: number;
  readonly recallAt90: number;
}

export function pairFigures(scored: readonly Scored[]): PairFigures {
  const ranked = [...scored].sort((a, b) => b.score - a.score);
  const positives = ranked.filter(({ isSame }) => isSame).length;
  let hits = 0;
  let best = { cut: 0, f1: 0 };
  let recallAt90 = 0;
  ranked.forEach(({ isSame, score }, at) => {
    if (isSame) hits += 1;
    if (ranked[at + 1]?.score === score) return;
    const f1 = (2 * hits) / (positives + at + 1);
    if (f1 > best.f1) best = { cut: score, f1 };
    if (hits / (at + 1) >= 0.9) recallAt90 = Math.max(recallAt90, hits / positives);
  });
  return { auc: areaUnder(ranked, positives), recallAt90, ...best };
}

/** Share of pairs of one of each label that are in order; equal scores count half. */
function areaUnder(ranked: readonly Scored[], positives: number): number {
  let below = 0;
  let area = 0;
  for (let at = ranked.length; at > 0; ) {
    const { score } = ranked[at - 1] ?? { score: 0 };
    let same = 0;
    let other = 0;
    for (; at > 0 && ranked[at - 1]?.score === score; at--) {
      if (ranked[at - 1]?.isSame === true) same += 1;
      else other += 1;
    }
    area += same * (below + other / 2);
    below += other;
  }
  return area / Math.max(1, positives * (ranked.length - positives));
}
