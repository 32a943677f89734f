/** What only the file has: its owner, its version, its triggers, what an erasure leaves on disk. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plainTable } from '#core/kernel';
import { TABLES } from '../../../src/app/tables.ts';
import { batchStore } from '../../../src/slices/batches/batchStore.ts';
import { chunkTable } from '../../../src/slices/batches/tables.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrations/index.ts';
import { batchIdOf, makeBatch, makeChunk, makeChunks, putBatch } from '../contract/batchRecords.ts';
import type { StoreHarness } from '../contract/harness.ts';
import {
  append,
  at,
  CHAIN_A,
  findTenant,
  makeGroup,
  makeTenant,
  TENANT_A,
  TTL_MS,
  takeHead,
} from '../contract/harness.ts';
import { makeNewSqliteHarness } from './harness.ts';

describe('the SQLite file', () => {
  let harness: StoreHarness & { dataDir: string };
  let file: string;

  beforeEach(async () => {
    harness = await makeNewSqliteHarness();
    file = join(harness.dataDir, 'store', 'compliance.sqlite');
  });
  afterEach(() => harness.dispose());

  const make = async () => {
    const storage = await harness.open();
    await append(storage, { count: 2 });
    await storage.close();
  };
  const edit = (work: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(file);
    work(database);
    database.close();
  };
  const unavailable = (reason: RegExp) => ({
    code: 'store-unavailable',
    message: expect.stringMatching(reason),
  });

  test('is readable by its owner alone', async () => {
    await make();
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  test('of noise is refused by name and left as it was', async () => {
    await mkdir(dirname(file), { recursive: true });
    const noise = Buffer.alloc(8192, 'not a database ');
    await writeFile(file, noise);
    await expect(harness.open()).rejects.toMatchObject(
      unavailable(/compliance\.sqlite: .*not a SQLite database/),
    );
    expect(await readFile(file)).toEqual(noise);
  });

  test('of another program is refused and left as it was', async () => {
    await mkdir(dirname(file), { recursive: true });
    edit((database) => database.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)'));
    const before = await readFile(file);
    await expect(harness.open()).rejects.toMatchObject(unavailable(/another program/));
    expect(await readFile(file)).toEqual(before);
  });

  test('of a newer version is refused', async () => {
    await make();
    edit((database) => database.exec('PRAGMA user_version = 999'));
    await expect(harness.open()).rejects.toMatchObject(unavailable(/newer version.*999/));
  });

  test.each(MIGRATIONS.slice(1).map((_, index) => index + 1))(
    'of the older version %i keeps what it has and gains what is new',
    async (version) => {
      await mkdir(dirname(file), { recursive: true });
      const tenant = makeTenant(TENANT_A, 1);
      edit((database) => {
        for (const migration of MIGRATIONS.slice(0, version)) database.exec(migration);
        database.exec(`PRAGMA application_id = 0x436d7050; PRAGMA user_version = ${version}`);
        const insert = database.prepare('INSERT INTO tenant VALUES (?, ?, ?)');
        insert.run(tenant.id, tenant.version, JSON.stringify(tenant));
      });
      const [storage, second] = await Promise.all([harness.open(), harness.open()]);
      expect(await findTenant(storage, TENANT_A)).toStrictEqual(tenant);
      const { result } = await append(storage, { changes: [putBatch(makeBatch(1))] });
      expect(result.kind).toBe('appended');
      await storage.tables.insertMissing(chunkTable, makeChunks(1));
      expect(await batchStore(second.tables).openBatches(9)).toStrictEqual([makeBatch(1)]);
      await Promise.all([storage.close(), second.close()]);
      edit((database) => {
        const row = database.prepare('PRAGMA user_version').get();
        expect(row).toEqual({ user_version: MIGRATIONS.length });
      });
    },
  );

  test('of version 4 has chunks in hand, whose tries are counted from now on', async () => {
    await mkdir(dirname(file), { recursive: true });
    edit((database) => {
      for (const migration of MIGRATIONS.slice(0, 4)) database.exec(migration);
      database.exec('PRAGMA application_id = 0x436d7050; PRAGMA user_version = 4');
      const insert = database.prepare('INSERT INTO batch_chunk VALUES (?, ?, ?, ?, ?, ?)');
      insert.run(batchIdOf(1), 0, 'dead', at(5), null, JSON.stringify(makeChunk(0)));
    });
    const { close, tables } = await harness.open();
    expect(await tables.find(chunkTable, makeChunk(0))).toStrictEqual(makeChunk(0));
    const [dead] = await tables.held(chunkTable, { limit: 9 });
    if (dead === undefined) throw new Error('nobody has it');
    expect(dead.lease).toEqual({ beat: 0, fence: 0, holder: 'dead', tries: 0 });
    const ask = { holder: 'w1', key: dead.record, seen: dead.lease };
    expect((await tables.takeOver(chunkTable, ask))?.lease.tries).toBe(1);
    await close();
  });

  test('that is cut short is refused with the reason', async () => {
    await make();
    // If two threads close at once, neither need be the last: the log then still has everything.
    edit((database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, 8192 * 3));
    const open = async () => {
      const storage = await harness.open();
      try {
        await storage.audit.readEvents({ chainId: CHAIN_A, fromSeq: 1, limit: 10 });
      } finally {
        await storage.close();
      }
    };
    await expect(open()).rejects.toMatchObject(unavailable(/damaged/));
  });

  test('opened by many at once is made once', async () => {
    const storages = await Promise.all(Array.from({ length: 5 }, () => harness.open()));
    await Promise.all(storages.map((storage) => storage.ping()));
    await Promise.all(storages.map((storage) => storage.close()));
  });

  test.each(['audit_event', 'audit_checkpoint', 'list_version'])(
    'lets nobody change or remove a row of %s',
    async (table) => {
      const storage = await harness.open();
      await append(storage, { count: 1 });
      await storage.close();
      edit((database) => {
        database.exec(`
          INSERT INTO audit_checkpoint VALUES (1, 1, '{}');
          INSERT INTO list_version VALUES (1, 's', 'v', 'd', 'c', '{}');
        `);
        const append_only = /append-only/;
        expect(() => database.exec(`DELETE FROM ${table}`)).toThrow(append_only);
        const column = table === 'audit_event' ? 'body' : 'document';
        expect(() => database.exec(`UPDATE ${table} SET ${column} = ''`)).toThrow(append_only);
      });
    },
  );

  test('refuses a second event of one seq, whatever the fence says', async () => {
    await make();
    edit((database) => {
      const copy = 'INSERT INTO audit_event SELECT * FROM audit_event WHERE seq = 1';
      expect(() => database.exec(copy)).toThrow(/UNIQUE/);
    });
  });

  test('holds nothing of an erased open member, nor does its log', async () => {
    const storage = await harness.open();
    const lease = await takeHead(storage, CHAIN_A);
    const secret = 'NAMEOFSOMEBODY';
    const [event] = makeGroup({ fromSeq: 1 }).events;
    if (event === undefined) throw new Error('no event');
    const group = { events: [{ ...event, open: secret }], bus: [], changes: [], idempotency: [] };
    await storage.audit.appendGroup(lease, group, { ttlMs: TTL_MS, release: true });
    expect(await filesWith(secret)).not.toEqual([]);
    await storage.audit.eraseOpen(CHAIN_A, 1);
    expect(await filesWith(secret)).toEqual([]);
    await storage.close();
  });

  test('is emptied of an erased member once a reader in the way has ended', async () => {
    const storage = await harness.open();
    await append(storage, { count: 1 });
    const reader = new DatabaseSync(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM audit_open').get();
    let isErased = false;
    const erasure = storage.audit.eraseOpen(CHAIN_A, 1).finally(() => {
      isErased = true;
    });
    await expect
      .poll(async () => (await storage.audit.findBySeq(CHAIN_A, 1))?.open)
      .toBe(undefined);
    expect(isErased).toBe(false);
    reader.exec('COMMIT');
    reader.close();
    expect(await erasure).toBe(true);
    expect(await filesWith('"name":"ahmed')).toEqual([]);
    await storage.close();
  });

  async function filesWith(text: string): Promise<string[]> {
    const names = await readdir(dirname(file));
    const contents = await Promise.all(names.map((name) => readFile(join(dirname(file), name))));
    return names.filter((_, index) => contents[index]?.includes(text));
  }

  test('a write waits for another process that holds the lock', async () => {
    const storage = await harness.open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const lease = takeHead(storage, CHAIN_A);
    const isWaiting = await Promise.race([lease.then(() => false), storage.audit.head(CHAIN_A)]);
    expect(isWaiting).not.toBe(false);
    other.exec('COMMIT');
    other.close();
    expect((await lease).fence).toBe(1);
    await storage.close();
  });

  test('a start waits while another process prepares the file, and says so', async () => {
    await make();
    const other = new DatabaseSync(file);
    other.exec("UPDATE store_table SET digest = 'of the release before'; BEGIN IMMEDIATE");
    let ms = 0;
    const clock = { ...harness.clock, monotonicMs: () => (ms += 6_000) };
    const told: string[] = [];
    const onWaiting = (why: string) => {
      told.push(why);
      other.exec('ROLLBACK');
    };
    const tables = TABLES.map(plainTable);
    const database = openDatabase(file, 'write', clock, tables, onWaiting);
    expect(told).toEqual([expect.stringContaining('another process prepares the store')]);
    database.close();
    other.close();
  });

  test('a full disk refuses the group whole, and the store goes on', async () => {
    const storage = await harness.open();
    await append(storage, { count: 1 });
    await storage.close();
    const { writeOperations } = await import('../../../src/storage/sqlite/operations.ts');
    const { writeTogether } = await import('../../../src/storage/sqlite/writeTogether.ts');
    const database = openDatabase(file, 'write', harness.clock);
    const now = harness.clock.now();
    const operations = writeOperations(database, () => {});
    const run = writeTogether(database, operations, {
      clock: harness.clock,
      onCrashPoint: () => {},
    });
    const lease = operations.takeHead(
      { chainId: CHAIN_A, holder: 'h', ttlMs: TTL_MS },
      { nowMs: now },
    );
    const [event] = makeGroup({ fromSeq: 2 }).events;
    const large = { ...event, body: 'x'.repeat(4_000_000) };
    const call = (events: unknown[]) => ({
      id: 1,
      name: 'appendGroup',
      args: [lease, { ...makeGroup({ fromSeq: 2 }), events }, { ttlMs: 1, release: false }, now],
    });
    database.exec('PRAGMA max_page_count = 100');
    const [full] = run([call([large])]);
    expect(full?.failure).toMatchObject({ code: 'store-unavailable' });
    expect(operations.ping()).toBe(true);
    const [small] = run([call([event])]);
    expect(small?.value).toMatchObject({ kind: 'appended' });
    database.close();
  });
});
