/** All that 4.9 has under one roof: sources, runs, snapshots, and the page behind a link. */
import { configuredFetchGuard } from '#platform/outbound/fetchGuard';
import { runStore, signedSources } from '#slices/ingestion';
import { createSnapshotLinks, listStore } from '#slices/lists';
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { createListOperators } from './listOperators.ts';
import { type RunRouteOptions, runOperations } from './runs.ts';
import { scheduleOperations } from './schedule.ts';
import { type SnapshotRouteOptions, snapshotOperations, snapshotPage } from './snapshots.ts';
import { type IngestionRouteOptions, ingestionOperations } from './sources.ts';

export type ListServiceOptions = IngestionRouteOptions & RunRouteOptions & SnapshotRouteOptions;

export const operations = (process: GatewayProcess): readonly Operation[] =>
  listServiceOperations(process.once(listService));

export const pages = (process: GatewayProcess): readonly PublicPage[] =>
  listServicePages(process.once(listService));

export function listService(process: GatewayProcess): ListServiceOptions {
  const { blobs, clock, commit, config, cursors, origin, random, signer, storage } = process;
  const { keyRing, tracer } = process;
  return {
    blobs,
    clock,
    commit,
    cursors,
    guard: configuredFetchGuard(config),
    isAirGapped: config.deploymentMode === 'air-gapped',
    links: createSnapshotLinks({ clock, key: process.secretOf('snapshot-link-v1') }),
    listPersons: process.identity.listPersons,
    lists: listStore(storage.tables),
    operators: createListOperators({ mode: config.deploymentMode, tenants: process.tenants }),
    origin,
    random,
    tracer,
    runs: runStore(storage.tables),
    signed: signedSources({ audit: storage.audit, keyRing }),
    signer,
    wake: (runId) => process.wake('ingestion', runId),
  };
}

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
