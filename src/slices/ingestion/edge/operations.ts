/** All that 4.9 has under one roof: sources, runs, snapshots, and the page behind a link. */
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import { type RunRouteOptions, runOperations } from './runs.ts';
import { scheduleOperations } from './schedule.ts';
import { type SnapshotRouteOptions, snapshotOperations, snapshotPage } from './snapshots.ts';
import { type IngestionRouteOptions, ingestionOperations } from './sources.ts';

export type ListServiceOptions = IngestionRouteOptions & RunRouteOptions & SnapshotRouteOptions;

export function listServiceOperations(options: ListServiceOptions): Operation[] {
  return [
    ...ingestionOperations(options),
    ...scheduleOperations(options),
    ...runOperations(options),
    ...snapshotOperations(options),
  ];
}

export const listServicePages = (options: ListServiceOptions): PublicPage[] => [
  snapshotPage(options),
];
