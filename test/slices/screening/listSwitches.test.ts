/**
 * Fifty versions of a list, published one after the other while clients screen over HTTP against a
 * real store, real blobs and the engine's threads: every answer is of one version as a whole, never
 * of none, and never of one older than the version in force when it was asked for.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildSnapshot } from '#engine';
import { importList } from '#slices/ingestion';
import type { ListVersion } from '#slices/lists';
import { listSetOf } from '#slices/screening';
import { listFormatReader } from '../../../src/sources/listFormat.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { allOf } from '../ingestion/memoryPorts.ts';
import { importPorts } from '../ingestion/runParts.ts';

const SWITCHES = 50;
const CLIENTS = 4;
/** So many are answered between two switches, so that answers and switches overlap. */
const ANSWERS_PER_SWITCH = 4;
const SOURCE = 'DEMO';
const NAME = 'Ilvana Dostrekova';
const LISTED = 5;
const OTHERS = 55;
const DAY_MS = 86_400_000;

/** Mark of an entity, at its number: the version that last changed it. */
type Marks = readonly number[];

/**
 * Every third version changes all that the name finds, the others two or four of them, so that
 * snapshots and overlays replace each other in every order.
 */
function marksOf(version: number, before: Marks): Marks {
  const isWhole = version % 3 === 0;
  return Array.from({ length: LISTED + OTHERS }, (_, at) =>
    isWhole || at < (version % 3) * 2 ? version : (before[at] ?? 0),
  );
}

function fileOf(version: number, marks: Marks): string {
  // A new date is news of every entity: only whole versions have one.
  const day = Date.UTC(2025, 0, 1) + Math.floor(version / 3) * DAY_MS;
  const release_date = new Date(day).toISOString().slice(0, 10);
  const $schema = 'urn:compliance-platform:list-format:v1';
  const header = { $schema, entity_count: marks.length, release_date, source: SOURCE };
  const entities = marks.map((mark, at) => ({
    akas: [at < LISTED ? NAME : `Otherwise Nobody ${at}`],
    categories: ['SAN'],
    ftm_id: `e-${String(at).padStart(3, '0')}`,
    primary_name: `Edition ${mark} Of ${at}`,
    schema: 'Person',
  }));
  return [header, ...entities].map((line) => `${JSON.stringify(line)}\n`).join('');
}

interface Answer {
  /** In force when it was sent. */
  readonly least: number;
  readonly listVersion: string;
  readonly hits: string;
}

interface Body {
  readonly list_version: string;
  readonly hits: readonly { readonly candidate: { ftm_id: string; primary_name: string } }[];
}

describe.skipIf(!hasRedis)('fifty switches under load', () => {
  let gateway: RealGateway;
  let caller: Caller;
  const answers: Answer[] = [];
  const failures: string[] = [];
  const hitsOf = (marks: Marks): string =>
    JSON.stringify(
      marks.slice(0, LISTED).map((mark, at) => [`e-00${at}`, `Edition ${mark} Of ${at}`]),
    );

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    caller = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway.close());

  async function publish(version: number, marks: Marks): Promise<ListVersion> {
    const imported = await importList({
      actor: 'cli:test',
      allow: { older: true, shrink: true },
      ports: {
        ...importPorts(gateway.installation),
        // Here, where a thread for each would cost more than the rest of the test.
        buildSnapshot: async (batches) => buildSnapshot(await allOf(batches)),
      },
      read: (async function* () {
        yield Buffer.from(fileOf(version, marks));
      })(),
      reader: listFormatReader,
      sourceId: SOURCE,
    });
    expect(imported.status).toBe('success');
    return imported.version;
  }

  async function screen(least: number): Promise<void> {
    const reply = await caller.screen({ name: NAME });
    if (reply.status !== 200) {
      failures.push(reply.text);
      return;
    }
    const { hits, list_version: listVersion } = reply.json<Body>();
    const found = hits.map(({ candidate }) => [candidate.ftm_id, candidate.primary_name]);
    answers.push({ hits: JSON.stringify(found), least, listVersion });
  }

  test('every answer is of exactly one version', async () => {
    let marks = marksOf(0, []);
    const published = [{ hits: hitsOf(marks), version: await publish(0, marks) }];
    await gateway.refreshLists();
    let inForce = 0;
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver && failures.length === 0) await screen(inForce);
    });
    for (let at = 1; at <= SWITCHES; at++) {
      marks = marksOf(at, marks);
      published.push({ hits: hitsOf(marks), version: await publish(at, marks) });
      await gateway.refreshLists();
      inForce = at;
      // Answers of the version before are still on their way: those of this one are waited for.
      const isEnough = () =>
        answers.filter(({ least }) => least === at).length >= ANSWERS_PER_SWITCH;
      await vi.waitUntil(() => isEnough() || failures.length > 0, {
        interval: 2,
        timeout: 30_000,
      });
    }
    isOver = true;
    await Promise.all(clients);

    expect(failures).toEqual([]);
    const numberOf = new Map(
      published.map(({ version }, at) => [
        listSetOf([{ index: {}, version }], undefined).listVersion,
        at,
      ]),
    );
    expect(numberOf.size).toBe(SWITCHES + 1);
    const wrong = answers.filter(({ hits, least, listVersion }) => {
      const number = numberOf.get(listVersion) ?? -1;
      return number < least || hits !== published[number]?.hits;
    });
    expect(wrong).toEqual([]);
    // All were seen, and both ways of publishing took part.
    expect(new Set(answers.map(({ listVersion }) => listVersion)).size).toBe(SWITCHES + 1);
    const overlays = published.filter(({ version }) => version.overlayBlob !== undefined).length;
    expect(overlays).toBeGreaterThan(10);
    expect(overlays).toBeLessThan(SWITCHES - 10);
  });
});
