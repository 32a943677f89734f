/**
 * The search of the audit trail: pages of 50 over one long chain, each filter by itself, beside the
 * walk that finds the same without an index.
 *
 * Goal: p95 of a page over more than a million events. Not a goal: the network, and what the
 * indexes cost a commit (evidence/append). The events are written by SQL past the chain, for a
 * million commits take half an hour: entries, and one screening of 12 KB in ten. They have no
 * signature, so nothing is verified here (evidence/verify).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readTrail, type TrailFilter } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { openStorage, type Storage } from '../src/storage/index.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const CHAIN = '018f4e1c-7a01-7000-8000-0000000a5ea7' as ChainId;
const STARTED_AT = Date.UTC(2026, 0, 1);
/** Milliseconds between two events. */
const STEP_MS = 100;
const ACTIONS = Array.from({ length: 40 }, (_, at) =>
  at < 10 ? `kyc.action.${at}` : `other.action.${at}`,
);
const ACTORS = 200;
const TARGETS = 50_000;
const FILLER = 'x'.repeat(11_500);
const BODY_ENTRY = 700;

const stamp = (seq: number): string => new Date(STARTED_AT + seq * STEP_MS).toISOString();

function bodyOf(seq: number): { readonly body: string; readonly action: string | null } {
  const occurred_at = stamp(seq);
  if (seq % 10 === 0) {
    const requested_by = `key-${seq % ACTORS}`;
    const members = { candidates: FILLER, occurred_at, requested_by, screening_id: `s-${seq}` };
    return { action: null, body: JSON.stringify(members) };
  }
  const action = ACTIONS[(seq * 7) % ACTIONS.length] ?? '';
  const actor = `key:${(seq * 13) % ACTORS}`;
  const note = 'x'.repeat(BODY_ENTRY - 200);
  const members = { action, actor, note, occurred_at, target: `case-${(seq * 31) % TARGETS}` };
  return { action, body: JSON.stringify(members) };
}

/** Rows as appendGroup writes them, in transactions of ten thousand. */
function fill(file: string, events: number): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF');
  const chain = database
    .prepare(
      `INSERT INTO chain (chain_id, seq, hash, fence, lease_until, checkpoint_seq)
       VALUES (?, ?, ?, 0, 0, 0) RETURNING id`,
    )
    .get(CHAIN, events, 'a'.repeat(64))?.id as number;
  const insert = database.prepare(
    `INSERT INTO audit_event (chain, seq, event_id, type, occurred_at, screening_id, action,
       decision, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)`,
  );
  for (let seq = 1; seq <= events; ) {
    database.exec('BEGIN');
    for (const end = Math.min(events, seq + 9_999); seq <= end; seq++) {
      const { action, body } = bodyOf(seq);
      const screening = action === null ? `s-${seq}` : null;
      const type = action === null ? 'screening' : 'entry';
      const at = STARTED_AT + seq * STEP_MS;
      insert.run(chain, seq, `e-${seq}`, type, at, screening, action, 'a'.repeat(64), body);
    }
    database.exec('COMMIT');
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** The filters of the page, each with a value drawn for the round. */
const FILTERS: Readonly<Record<string, (draw: number, events: number) => TrailFilter>> = {
  action: (draw) => ({ type: ACTIONS[draw % ACTIONS.length] ?? '' }),
  actor: (draw) => ({ actor: `key:${draw % ACTORS}` }),
  'actor and action': (draw) => ({
    actor: `key:${(draw * 13) % ACTORS}`,
    type: ACTIONS[(draw * 7) % ACTIONS.length] ?? '',
  }),
  none: () => ({}),
  prefix: () => ({ type: 'kyc.*' }),
  screenings: () => ({ type: 'screening' }),
  target: (draw) => ({ target: `case-${draw % TARGETS}` }),
  'target and time': (draw, events) => ({
    from: stamp(Math.floor(events / 2)),
    target: `case-${draw % TARGETS}`,
  }),
  time: (draw, events) => {
    const seq = 1 + ((draw * 7_919) % Math.max(1, events - 1_000));
    return { from: stamp(seq), to: stamp(seq + 500) };
  },
};

export async function rows({ count, smoke }: BenchOptions): Promise<BenchRow[]> {
  const events = smoke ? 3_000 : (count ?? 1_200_000);
  const rounds = smoke ? 3 : 200;
  const dataDir = await mkdtemp(join(tmpdir(), 'compliance-bench-trail-'));
  const open = () => openStorage({ clock: systemClock, dataDir });
  await (await open()).close();
  fill(join(dataDir, 'store', 'compliance.sqlite'), events);
  const storage = await open();
  try {
    const made: BenchRow[] = [];
    for (const [name, filter] of Object.entries(FILTERS)) {
      made.push(await measure(storage, { events, filter, name, rounds }));
    }
    return made;
  } finally {
    await storage.close();
    await rm(dataDir, { recursive: true });
  }
}

async function measure(
  { audit }: Storage,
  ask: {
    readonly events: number;
    readonly filter: (draw: number, events: number) => TrailFilter;
    readonly name: string;
    readonly rounds: number;
  },
): Promise<BenchRow> {
  const { events, filter, name, rounds } = ask;
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    const page = await readTrail(audit, {
      actions: ACTIONS,
      chainId: CHAIN,
      filter: filter(round * 101, events),
      limit: 50,
      order: round % 2 === 0 ? 'desc' : 'asc',
      seesConfidential: true,
    });
    times.push(performance.now() - startedAt);
    found += page.entries.length;
  }
  const walked = await walkedMs(audit, filter(101, events), events);
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  const p50 = at(0.5) ?? 0;
  return {
    baseline: walked,
    baseline_name: 'a walk to the same page without an index, ms',
    checksum: String(found),
    data: `${events} events of one chain, a tenth screenings of 12 KB; SQLite`,
    id: `auditSearch/${name}`,
    ours: p50,
    p50_ms: p50,
    p95_ms: at(0.95) ?? 0,
    p99_ms: at(0.99) ?? 0,
    ratio: walked / p50,
    size: `pages of 50, ${rounds} rounds`,
    suite: 'auditSearch',
    unit: 'ms a page',
  };
}

/** What a caller paid before: events in their order, each looked at, until the page is full. */
async function walkedMs(
  audit: Storage['audit'],
  { actor, from, target, to, type }: TrailFilter,
  events: number,
): Promise<number> {
  const startedAt = performance.now();
  let matched = 0;
  for (let fromSeq = 1; fromSeq <= events && matched < 50; ) {
    const page = await audit.readEvents({ chainId: CHAIN, fromSeq, limit: 1_000 });
    if (page.length === 0) break;
    fromSeq = (page.at(-1)?.seq ?? fromSeq) + 1;
    for (const { action = 'screening', body, occurredAt } of page) {
      const isIt =
        (type === undefined || action.startsWith(type.replace('*', ''))) &&
        [actor, target].every((word) => word === undefined || body.includes(`"${word}"`)) &&
        (from === undefined || occurredAt >= Date.parse(from)) &&
        (to === undefined || occurredAt < Date.parse(to));
      if (isIt) matched++;
    }
  }
  return performance.now() - startedAt;
}
