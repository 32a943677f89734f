/** Writes one group to an embedded store and dies by SIGKILL at a named step of the write. */
import { readFileSync, writeSync } from 'node:fs';
import type { EventGroup } from '#core/audit';
import { plainTable } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { TABLES } from '../../../src/app/tables.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { writeTogether } from '../../../src/storage/sqlite/writeTogether.ts';
import { TTL_MS } from '../../storage/contract/harness.ts';
import { TENANT } from './policyDesk.ts';

const [file = '', groupFile = '', dieAt = '', now = ''] = process.argv.slice(2);
const nowMs = Number(now);
const onCrashPoint = (step: string): void => {
  if (step === dieAt) process.kill(process.pid, 'SIGKILL');
};
const tables = TABLES.map(plainTable);
const database = openDatabase(file, 'write', systemClock, tables);
const operations = writeOperations(database, onCrashPoint, tables);
const ask = { chainId: TENANT as never, holder: 'child', ttlMs: TTL_MS };
const lease = operations.takeHead(ask, { nowMs });
if (lease === undefined) throw new Error('the head is taken');
const group = JSON.parse(readFileSync(groupFile, 'utf8')) as EventGroup;
writeSync(1, 'ready\n');
const args = [lease, group, { release: true, ttlMs: TTL_MS }, nowMs];
writeTogether(database, operations, { clock: systemClock, onCrashPoint })([
  { args, id: 1, name: 'appendGroup' },
]);
