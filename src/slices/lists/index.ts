/**
 * Lists: what a version is, what it holds, and how it is stored. Read in this order:
 *
 *   ports, tables, listStore, entity                a source, a version of its list, what it holds
 *   bundle, deltaBundle, wholeBundle                its text as it is stored
 *   changes, versions, versionEntities              what changed, what it is called, who is on it
 *   snapshotLinks                                   what is published
 */
export * from './asks.ts';
export { BaseLines, baseOf, changesOf } from './baseLines.ts';
export * from './bundle.ts';
export { COUNTED_ENTITIES_MAX, countCategories } from './categoryCounts.ts';
export * from './changes.ts';
export * from './changesBetween.ts';
export type { ContentFacts } from './contentDigests.ts';
export * from './countries.ts';
export * from './damage.ts';
export {
  type DeltaBundle,
  type DeltaHeader,
  readDeltaBundle,
  writeDeltaBundle,
} from './deltaBundle.ts';
export * from './entity.ts';
export {
  canonicalLine,
  EntityLine,
  entityLine,
  hasAssociations,
  lineId,
  parseEntityLine,
  rewritten,
  textOf,
} from './entityLine.ts';
export * from './entryFacts.ts';
export * from './entryHistory.ts';
export { IdTable } from './idTable.ts';
export * from './indexEntity.ts';
export { columnBytes, type LineColumns } from './lineColumns.ts';
export { LineCursor } from './lineCursor.ts';
export { contentAside } from './linesAside.ts';
export type { LineChanges } from './lineTable.ts';
export * from './listedFacts.ts';
export * from './listFigures.ts';
export * from './listStore.ts';
export * from './ports.ts';
export {
  inPresentForm,
  LineComparison,
  programmesMember,
  programmesOf,
} from './programmes.ts';
export * from './signedInForce.ts';
export * from './signedVersions.ts';
export * from './snapshotLinks.ts';
export { blobSeal, SealedPut, type SealPorts } from './storedSeal.ts';
export * from './tables.ts';
export * from './trustedKeys.ts';
export * from './versionEntities.ts';
export * from './versionEntries.ts';
export {
  type IndexInspection,
  isLoadable,
  linesInForce,
  readIndex,
  UNREADABLE_NOTE,
  VersionUnreadable,
} from './versionInForce.ts';
export * from './versions.ts';
export { putWholeBundle } from './wholeBundle.ts';
