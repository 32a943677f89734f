/** The engine's surface (ports.ts): build a snapshot, load it, screen names against it. */
export { buildSnapshot, buildSnapshotFrom } from './buildSnapshot.ts';
export { buildSnapshotAside } from './buildSnapshotAside.ts';
export { Deadline, sharedMonotonicMs } from './deadline.ts';
export { createEngine, type EngineOptions } from './engine.ts';
export { EngineError, type EngineErrorCode } from './errors.ts';
export { type FoldedName, foldName, latinWords, listForms } from './foldName.ts';
export { IndexReader, type SharedIndex, type SharedIndexes } from './indexReader.ts';
export { IndexShelf } from './indexShelf.ts';
export { type IndexCounts, inspectIndex } from './inspectIndex.ts';
export { jaroWinkler } from './jaroWinkler.ts';
export { isLaterFormat } from './laterFormat.ts';
export {
  buildOverlay,
  type OverlayChange,
  type OverlayIds,
  readOverlayIds,
} from './overlay.ts';
export * from './ports.ts';
export type { AlignedWords, Explanation } from './reranker2/explain.ts';
export { explainFor } from './rerankers.ts';
export { UNICODE_VERSION } from './unicodeTables.ts';
