/**
 * Screenings of many kinds, repeated after twenty versions of a list, three policies, and
 * exclusions that came and ended: by a worker of this Node, and by one of each other (OTHER_NODES).
 * REPLAYS is how many.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityStore } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { addExclusion, approveExclusion, exclusionPartsOf } from '#slices/exclusions';
import { changePolicySettings, policyPortsOf } from '#slices/policies';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { demoLines, publishWithout } from './demoVersions.ts';

const VERSIONS = 20;
const COUNT = Number(process.env.REPLAYS ?? 240);
const AT_ONCE = 16;
const OTHERS = (process.env.OTHER_NODES ?? '').split(':').filter((path) => path !== '');
const CHILD = new URL('./replayChild.ts', import.meta.url);
/** The versions with which another policy begins. */
const POLICIES: Readonly<Record<number, Readonly<Record<string, number | string>>>> = {
  7: { 'screening.threshold.adverse_media': 0.66, 'screening.top_n': 5 },
  14: { 'screening.reranker_version': '2.0.0', 'screening.top_n': 30 },
};

interface Screened {
  readonly screening_id: string;
  readonly hits: readonly { readonly candidate: { readonly ftm_id: string } }[];
  readonly suppressed?: readonly object[];
}
interface Replayed {
  readonly status: string;
  readonly reason: string | null;
  readonly policy_version: number | null;
  readonly list_digests: readonly string[];
  readonly runtime: { readonly node: string } | null;
}

let gateway: RealGateway;
let tenantId: TenantId;
let caller: Caller;
let folder: string;
let screened: Awaited<ReturnType<typeof screenAll>>;

beforeAll(async () => {
  if (!hasRedis) return;
  folder = await mkdtemp(join(tmpdir(), 'many-replays-'));
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  caller = await gateway.caller(tenantId, 'agent_l2', 'mlro');
  screened = await screenAll();
}, 600_000);
afterAll(async () => {
  await gateway?.close();
  if (folder !== undefined) await rm(folder, { force: true, recursive: true });
});

/** The same numbers in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function each<Of, Value>(all: readonly Of[], work: (one: Of) => Promise<Value>) {
  const values: Value[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let at = next++; at < all.length; at = next++) values[at] = await work(all[at] as Of);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return values;
}

async function screenAll() {
  const lines = await demoLines();
  const names = lines.map((line) => (JSON.parse(line) as { primary_name: string }).primary_name);
  const draw = draws(20);
  const ids: string[] = [];
  let suppressed = 0;
  for (let version = 0; version < VERSIONS; version++) {
    if (version > 0) await publishWithout(version, gateway, folder);
    await setPolicy(POLICIES[version]);
    const most = Math.ceil((COUNT - ids.length) / (VERSIONS - version));
    const queries = Array.from({ length: most }, () => queryOf(names, draw));
    const answers = await each(queries, async (query) => {
      const answer = await caller.screen(query);
      expect(answer.status, answer.text).toBe(200);
      return answer.json<Screened>();
    });
    ids.push(...answers.map(({ screening_id }) => screening_id));
    suppressed += answers.filter((one) => (one.suppressed ?? []).length > 0).length;
    await exclude(answers.find(({ hits }) => hits.length > 0));
  }
  return { ids, suppressed };
}

/** Few enough names that what was excluded is asked for again. */
function queryOf(names: readonly string[], draw: (below: number) => number): object {
  const name = names[draw(24)] ?? '';
  const words = name.split(' ');
  const kinds = [name, words.toReversed().join(' '), name.slice(1), `${name} ${draw(9)}`];
  return {
    name: kinds[draw(kinds.length)],
    ...(draw(4) === 0 && { dob: `19${60 + draw(30)}-0${1 + draw(9)}-1${draw(9)}` }),
  };
}

async function setPolicy(changes: (typeof POLICIES)[number] | undefined): Promise<void> {
  if (changes === undefined) return;
  const { settings, storage } = gateway.installation;
  const tenant = await identityStore(storage.tables).findTenant(tenantId);
  expect(tenant).toBeDefined();
  if (tenant === undefined) return;
  const ports = { ...policyPortsOf(gateway.process), settings };
  await changePolicySettings(ports, { actor: 'cli:test', changes, tenant });
}

async function exclude(answer: Screened | undefined): Promise<void> {
  if (answer === undefined) return;
  const ports = exclusionPartsOf(gateway.process);
  const by = (name: string) => ({ actor: `person:${name}` as const, isPerson: true, tenantId });
  const proposed = await addExclusion(ports, {
    by: by('lena'),
    ftmId: answer.hits[0]?.candidate.ftm_id ?? '',
    reason: 'Another date and another place of birth',
    reasonCode: 'dob_differs',
    screeningId: answer.screening_id,
  });
  // Those of a list of sanctions are decided by two persons, the others are there already.
  const waiting = proposed.filter(({ state }) => state === 'proposed');
  const exclusionIds = waiting.map(({ exclusionId }) => exclusionId);
  if (exclusionIds.length > 0) await approveExclusion(ports, { by: by('carl'), exclusionIds });
}

/** By a worker that runs in this Node. */
async function replayedBy(node: string): Promise<readonly Replayed[]> {
  const { dataDir } = gateway.installation.config;
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const child = fork(CHILD, [dataDir], { execArgv, execPath: node });
  const ended = once(child, 'exit');
  try {
    await once(child, 'message');
    const paths = await each(screened.ids, async (id) => {
      const path = `/v1/sanctions/screenings/${id}`;
      const asked = await caller.post(`${path}/replay`);
      expect(asked.status, asked.text).toBe(202);
      return `${path}/replays/${asked.json<{ replay_id: string }>().replay_id}`;
    });
    return await each(paths, async (path) => {
      const read = async () => (await caller.get(path)).json<Replayed>();
      let last = await read();
      while (last.status === 'queued' || last.status === 'running') {
        expect(child.exitCode).toBe(null);
        await new Promise((resolve) => void setTimeout(resolve, 50));
        last = await read();
      }
      return last;
    });
  } finally {
    child.send('stop');
    await ended;
  }
}

function expectIdentical(replays: readonly Replayed[]): void {
  const ended = replays.map(({ reason, status }) => ({ reason, status }));
  expect(ended).toEqual(screened.ids.map(() => ({ reason: null, status: 'identical' })));
  const lists = new Set(replays.flatMap(({ list_digests }) => list_digests));
  expect(lists.size).toBe(VERSIONS);
  expect(new Set(replays.map(({ policy_version }) => policy_version)).size).toBe(3);
}

test.skipIf(!hasRedis)(
  'after twenty versions, three policies and exclusions nothing differs',
  async () => {
    expect(screened.suppressed).toBeGreaterThan(0);
    expectIdentical(await replayedBy(process.execPath));
  },
  600_000,
);

if (OTHERS.length === 0) console.warn('skipped: other versions of Node; OTHER_NODES is not set');
test.skipIf(!hasRedis || OTHERS.length === 0)(
  'nor does anything in other versions of Node',
  async () => {
    for (const node of OTHERS) {
      const replays = await replayedBy(node);
      expectIdentical(replays);
      expect(replays[0]?.runtime?.node).not.toBe(process.versions.node);
    }
  },
  600_000,
);
