/** A publisher of invented lists on this host, and an installation that takes them as DEMO. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventId, PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { type Config, loadConfig } from '#platform/config';
import { changedFields, fieldText, newSource, type SourceFields } from '#slices/ingestion';
import { type ListSource, listStore, sourceTable } from '#slices/lists';
import { type OpenInstallation, openInstallation } from '../../../src/app/installation.ts';

export const DEMO = 'DEMO' as SourceId;

/** Three entities; the first one's name says which edition it is. */
export function edition(name: string): string {
  const header = {
    $schema: 'urn:compliance-platform:list-format:v1',
    entity_count: 3,
    release_date: '2026-01-01',
    source: DEMO,
  };
  const person = (ftm_id: string, primary_name: string) => ({
    categories: ['SAN'],
    ftm_id,
    primary_name,
    schema: 'Person',
  });
  const people = [person('p-1', name), person('p-2', 'Bela Orban'), person('p-3', 'Cyra Tamsin')];
  return [header, ...people].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export interface Publisher {
  readonly origin: string;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly asked: IncomingMessage[];
  close(): Promise<void>;
}

export async function openPublisher(): Promise<Publisher> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    publisher.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publisher: Publisher = {
    answer: (_, response) => void response.writeHead(503).end(),
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  return publisher;
}

/** The publisher is on this host, so the operator has to name it. */
export const PUBLISHER_ALLOWED = { FETCH_ALLOWED_HOSTS: '127.0.0.1' };

/** `env`: where the store is another one than the embedded. */
export const configOf = (dataDir: string, env: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({ ...PUBLISHER_ALLOWED, ...env, DATA_DIR: dataDir });

export const openAt = (
  dataDir: string,
  processName: string,
  env?: Readonly<Record<string, string>>,
): Promise<OpenInstallation> =>
  openInstallation({ config: configOf(dataDir, env), onWarning: () => {}, processName });

/** As the administrator's change under dual control leaves it. */
export async function pointSource(
  { audit, clock, storage }: OpenInstallation,
  change: Partial<Pick<ListSource, 'airGapPath' | 'cronDelta' | 'enabled' | 'fires' | 'url'>>,
  sourceId = DEMO,
): Promise<void> {
  const before = (await listStore(storage.tables).findSource(sourceId)) ?? newSource(sourceId);
  const source = { ...before, ...change, updatedAt: clock.now(), version: before.version + 1 };
  const changes = changedFields(fieldsOf(change)).map((field) => ({
    field,
    new_value: fieldText(source, field),
  }));
  const action = 'SANCTIONS_SCHEDULE_CHANGED';
  const members = { action, changes, target: sourceId };
  const event = { eventId: randomUUID() as EventId, members, occurredAt: clock.now(), open: {} };
  await audit.commit(PLATFORM_CHAIN, {
    bus: [],
    changes: [sourceTable.put(source, before.version)],
    events: [{ ...event, action, type: 'entry' }],
  });
}

const fieldsOf = ({
  airGapPath,
  cronDelta,
  enabled,
  url,
}: Parameters<typeof pointSource>[1]): SourceFields => ({
  ...(airGapPath !== undefined && { air_gap_path: airGapPath }),
  ...(cronDelta !== undefined && { cron_delta: cronDelta }),
  ...(enabled !== undefined && { enabled }),
  ...(url !== undefined && { url }),
});
