/** The surface of the kernels: the exports of WebAssembly, and of the twin that runs anywhere. */
export { addAcronyms } from './acronyms.ts';
export { expansionCount, makeUnits } from './expansions.ts';
export { jaroSum, jaroWinkler } from './jaro.ts';
export { levenshtein, levenshteinRatio } from './levenshtein.ts';
export { aliasScore, nameScore } from './nameScore.ts';
export { findNear } from './nearTokens.ts';
export { soundCandidates } from './phoneticCandidates.ts';
export { isHeardKnown } from './phoneticVotes.ts';
export {
  addName,
  addStandIn,
  addToken,
  addVariant,
  clearQuery,
  hasRoom,
  openTokens,
  setCore,
} from './query.ts';
export { clearScored, scoreBatch } from './scoring.ts';
export { openList } from './sections.ts';
export { setSlot } from './slots.ts';
export { sweepForms } from './sweeping.ts';
export { addTitle, clearTitles } from './titles.ts';
export { countShared, countVotes, heardCount, nearCount } from './votes.ts';
export { addWholeNames } from './wholeNames.ts';
export { wordCosts } from './wordCosts.ts';
