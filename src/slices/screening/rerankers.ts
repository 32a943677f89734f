/**
 * Re-rankers that a tenant can choose: SemVer, ascending, as the engine has them installed
 * (src/engine/rerankers.ts; a test holds the two lists to each other).
 */
export const RERANKERS = ['1.0.0'] as const;
