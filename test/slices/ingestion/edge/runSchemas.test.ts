/** What of a run is shown to those who do not look after the lists. */
import { expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import type { ListRun } from '#slices/ingestion';
import { presentRunDetail } from '../../../../src/slices/ingestion/edge/runSchemas.ts';

const at = 1_800_000_000_000 as EpochMs;
const line = (text: string) => ({ at, level: 'info' as const, text });
const RUN: ListRun = {
  errorCode: 'list-unreachable',
  errorMessage: 'mirror.bank.example:8443/private/token-7: HTTP 404',
  kind: 'full',
  log: [
    line('full run of UN_SC, started by user:https://idp.example|dora'),
    line('fetch mirror.bank.example:8443/private/token-7 if it changed'),
    line('read 877 records of 2025-04-19 in 2215552 bytes, SHA-256 929a'),
  ],
  runId: '018f0000-0000-7000-8000-000000000001',
  shrinkApprovedBy: 'person-2',
  sourceId: 'UN_SC' as ListRun['sourceId'],
  startedAt: at,
  status: 'failed',
  triggeredBy: 'user:https://idp.example|dora',
  version: 3,
};

test('neither addresses nor people', () => {
  const shown = presentRunDetail(RUN, false);
  expect(JSON.stringify(shown)).not.toMatch(/bank|token-7|dora|person-2/);
  expect(shown).toMatchObject({ error_message: '… HTTP 404', triggered_by: 'manual' });
  expect(shown.log.map(({ text }) => text)).toEqual([
    'fetch … if it changed',
    'read 877 records of 2025-04-19 in 2215552 bytes, SHA-256 929a',
  ]);
});

test('all of it to those who do', () => {
  const shown = presentRunDetail(RUN, true);
  expect(shown.error_message).toBe(RUN.errorMessage);
  expect(shown.log.map(({ text }) => text)).toEqual(RUN.log.map(({ text }) => text));
  expect(shown.triggered_by).toBe('manual:user:https://idp.example|dora');
});
