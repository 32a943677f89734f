/** Scores are rounded to nine decimals before they are compared or stored (decisions 2.1). */
export const roundScore = (score: number): number => Math.round(score * 1e9) / 1e9;
