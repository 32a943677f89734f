/**
 * The register with nothing replaced, over both HTTP adapters: screenings are listed, filtered,
 * paged and read one by one, and what was altered in the store is named and locks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseEvidence } from '#core/audit';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import { alertTable, raiseAlerts } from '#slices/alerts';
import { type ChainBreaks, ChainWalks, RegisterFill } from '#slices/sanctions';
import { registeredHitTable, registeredScreeningTable } from '#slices/screening';
import { chainBreaksOf, sanctionsPartsOf } from '../../../src/slices/sanctions/edge/parts.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { SETTINGS } from '../alerts/desk.ts';
import { alterEvent } from './alterEvent.ts';

const LISTED = 'Tarek Velmorani';
const PATH = '/v1/sanctions/screenings';

interface Row {
  readonly screening_id: string;
  readonly seq: number | null;
  readonly decision: string;
  readonly subject: { readonly name: string | null; readonly erased: boolean } | null;
  readonly hits_count: number | null;
  readonly top_hit: { readonly ftm_id: string; readonly primary_name: string } | null;
  readonly review_status: string | null;
  readonly channel: string;
  readonly fault: string | null;
}

interface List {
  readonly data: readonly Row[];
  readonly chain: {
    readonly status: string;
    readonly checked: number;
    readonly first_bad_seq: number | null;
    readonly reason: string | null;
    readonly breaks: readonly { readonly seq: number; readonly alert_id: string }[];
  };
  readonly next_cursor: string | null;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: the register', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let supervisor: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1');
    supervisor = await gateway.caller(tenantId, 'agent_l2');
  });
  afterAll(() => gateway.close());

  const screened = async (caller: Caller, body: object): Promise<string> =>
    (await caller.screen(body)).json<{ screening_id: string }>().screening_id;
  const list = async (caller: Caller, query = ''): Promise<List> => {
    const answer = await caller.get(PATH + query);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.json<List>();
  };
  const idsOf = ({ data }: List) => data.map(({ screening_id }) => screening_id);

  test('rows are there with the answer: latest first, checked, by every filter', async () => {
    const clear = await screened(supervisor, { name: 'Nobody Atall' });
    const hit = await screened(supervisor, { dob: '1971-03-14', name: LISTED });
    const all = await list(supervisor);
    expect(idsOf(all)).toEqual([hit, clear]);
    expect(all.chain).toMatchObject({ checked: 2, first_bad_seq: null, status: 'verified' });
    const [first, second] = all.data;
    expect(first).toMatchObject({
      channel: 'unit',
      decision: 'MATCH_DIRECT_SANCTIONS',
      fault: null,
      review_status: null,
      subject: { dob: '1971-03-14', erased: false, name: 'tarek velmorani' },
    });
    expect(first?.top_hit?.primary_name).toBe(LISTED);
    expect(second).toMatchObject({ decision: 'CLEAR', hits_count: 0, top_hit: null });

    const ftmId = first?.top_hit?.ftm_id ?? '';
    const found = async (query: string) => idsOf(await list(supervisor, query));
    expect(await found('?decision=CLEAR')).toEqual([clear]);
    expect(await found('?decision=MATCH_PEP,MATCH_DIRECT_SANCTIONS')).toEqual([hit]);
    expect(await found(`?candidate=${encodeURIComponent(ftmId)}`)).toEqual([hit]);
    expect(await found('?candidate=Tar')).toEqual([hit]);
    expect(await found('?candidate=TAREK%20Velm')).toEqual([hit]);
    expect(await found('?candidate=tarek%20velx')).toEqual([]);
    expect(await found('?channel=unit&decision=CLEAR')).toEqual([clear]);
    expect(await found('?channel=batch_item')).toEqual([]);
    expect(await found('?subject_ref=C-1')).toEqual([]);
    expect(await found('?to=2000-01-01T00:00:00Z')).toEqual([]);
    expect(await found('?from=2000-01-01T00:00:00Z')).toEqual([hit, clear]);
    const short = await supervisor.get(`${PATH}?candidate=ta`);
    expect(short.problem()).toMatchObject({ code: 'query-invalid', status: 400 });
    const unknown = await supervisor.get(`${PATH}?decision=MAYBE`);
    expect(unknown.problem()).toMatchObject({ code: 'query-invalid', status: 400 });
  });

  test('pages meet each screening once, while others come in', async () => {
    const met: string[] = [];
    const before = idsOf(await list(supervisor));
    let cursor: string | null = null;
    do {
      const page: List = await list(
        supervisor,
        `?limit=1${cursor === null ? '' : `&page=${cursor}`}`,
      );
      met.push(...idsOf(page));
      cursor = page.next_cursor;
      await screened(supervisor, { name: 'Somebody Else' });
    } while (cursor !== null);
    expect(met).toEqual(before);
    const [other] = [await supervisor.get(`${PATH}?limit=1&decision=CLEAR&cursor=x.y`)];
    expect(other.problem()).toMatchObject({ code: 'cursor-invalid', status: 400 });
  });

  test('an agent sees what they asked for or work on; others nothing', async () => {
    const own = await screened(agent, { name: 'Own Query' });
    const others = await screened(supervisor, { name: LISTED });
    expect(idsOf(await list(agent))).toEqual([own]);
    expect((await agent.get(`${PATH}/${others}`)).status).toBe(404);
    const { tables } = gateway.installation.storage;
    await raiseAlerts(
      {
        clock: gateway.installation.clock,
        commit: gateway.process.commit,
        listPersons: async () => [],
        random: gateway.installation.random,
        settingsOf: async () => SETTINGS,
        tables,
      },
      tenantId,
      [
        {
          cause: { kind: 'screening', screeningId: others },
          hitsTotal: 1,
          score: 1,
          source: 'DEMO',
          type: 'screening',
          typology: 'MATCH_DIRECT_SANCTIONS',
        },
      ],
    );
    const ask = { equal: { subjectId: others, tenantId }, index: 'bySubject', limit: 1 };
    const [alert] = (await tables.page(alertTable, ask)).records;
    expect((await agent.post(`/v1/aml/alerts/${alert?.alertId}/assign`, {})).status).toBe(200);
    const seen = await list(agent);
    expect(idsOf(seen)).toEqual([others, own]);
    expect(seen.data[0]?.review_status).toBe('assigned');
    expect((await agent.get(`${PATH}/${others}`)).status).toBe(200);
    const developer = await gateway.caller(tenantId, 'developer');
    expect((await developer.get(PATH)).status).toBe(403);
    const elsewhere = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l2');
    expect(idsOf(await list(elsewhere))).toEqual([]);
    expect((await elsewhere.get(`${PATH}/${others}`)).status).toBe(404);
  });

  test('one screening is rebuilt from its event; an erased one says so', async () => {
    const answer = await supervisor.screen({ name: LISTED });
    const { took_ms: _, ...given } = answer.json<Record<string, unknown>>();
    const path = `${PATH}/${given.screening_id}`;
    const read = (await supervisor.get(path)).json<Record<string, unknown>>();
    expect(read).toMatchObject({ ...given, erased: false, status: 'completed' });
    const { audit, clock, random, storage } = gateway.installation;
    const chainId = chainOf(tenantId);
    const ports = { audit, clock, random, store: storage.audit };
    const screeningId = given.screening_id as ScreeningId;
    await eraseEvidence(ports, { actor: 'cli:test', chainId, reason: 'a request', screeningId });
    expect((await supervisor.get(path)).json<Record<string, unknown>>()).toMatchObject({
      decision: given.decision,
      erased: true,
    });
    const [row] = (await list(supervisor)).data;
    expect(row).toMatchObject({ fault: null, subject: { erased: true, name: null } });
    expect((await supervisor.get(`${PATH}/${crypto.randomUUID()}`)).status).toBe(404);
  });

  test('rows that are missing are made from the chain, and no other', async () => {
    const { clock, storage } = gateway.installation;
    const { audit, tables } = storage;
    const rows = async () =>
      Promise.all([
        tables.page(registeredScreeningTable, { index: 'key', limit: 1_000 }),
        tables.page(registeredHitTable, { index: 'key', limit: 1_000 }),
      ]);
    const before = await rows();
    const made = new Map<string, object[]>([
      ['registered_screening', []],
      ['registered_hit', []],
    ]);
    // As if there were no rows: what is made is kept apart.
    const emptied = {
      ...tables,
      findMany: async () => [],
      insertMissing: async (table: { readonly name: string }, given: readonly object[]) => {
        made.get(table.name)?.push(...given);
        if (!made.has(table.name)) await tables.insertMissing(table as never, given as never);
      },
    } as unknown as typeof tables;
    const fill = new RegisterFill({ audit, clock, holder: 'test', tables: emptied });
    expect(await fill.fill(tenantId)).toBe(await gateway.headSeq(tenantId));
    const own = (records: readonly { readonly tenantId: TenantId }[]) =>
      records.filter((one) => one.tenantId === tenantId);
    const [screenings, hits] = before;
    const sorted = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).sort();
    const inOrder = (one: object) => Object.fromEntries(Object.entries(one).sort());
    for (const [name, { records }] of [
      ['registered_screening', screenings],
      ['registered_hit', hits],
    ] as const) {
      expect(sorted((made.get(name) ?? []).map(inOrder))).toEqual(
        sorted(own(records as never).map(inOrder)),
      );
    }
    expect(await fill.fill(tenantId)).toBe(0);
    // The same walk has counted them.
    const kpis = await supervisor.get('/v1/sanctions/kpis?period=1h');
    expect(kpis.json<object>()).toMatchObject({
      by_channel: { unit: own(screenings.records).length },
      complete: true,
      screenings_total: own(screenings.records).length,
    });
    expect((await agent.get('/v1/sanctions/kpis')).status).toBe(403);
    expect((await supervisor.get('/v1/sanctions/kpis?period=2h')).status).toBe(400);
  });

  test('a bit that was flipped is named, told once over fifty loads, and locks', async () => {
    const own = await gateway.tenant('sandbox');
    const caller = await gateway.caller(own, 'agent_l2');
    const ids = [];
    for (const name of ['First One', LISTED, 'Third One'])
      ids.push(await screened(caller, { name }));
    const { audit } = gateway.installation.storage;
    const chainId = chainOf(own);
    const broken = await audit.findByScreening(chainId, ids[1] as ScreeningId);
    const { dataDir } = gateway.installation.config;
    alterEvent(dataDir, {
      chainId,
      from: '"policy_version":',
      seq: broken?.seq ?? 0,
      to: '"policy_versioo":',
    });
    const breaks: ChainBreaks = gateway.process.once(chainBreaksOf);
    expect(await breaks.standing(chainId)).toBeUndefined();
    const pages = await Promise.all(Array.from({ length: 50 }, () => list(caller)));
    for (const { chain, data } of pages) {
      expect(chain).toMatchObject({ first_bad_seq: broken?.seq, status: 'broken' });
      expect(chain.breaks.map(({ seq }) => seq)).toEqual([broken?.seq]);
      expect(data.map(({ fault }) => fault === null)).toEqual([true, false, true]);
      expect(data[1]).toMatchObject({ subject: null, top_hit: null });
    }
    const told = await audit.readEvents({
      action: 'AUDIT_CHAIN_BROKEN',
      chainId: 'platform' as typeof chainId,
      fromSeq: 1,
      limit: 100,
    });
    const ofOwn = told.filter(({ body }) => body.includes(own));
    expect(ofOwn).toHaveLength(1);
    expect(await breaks.standing(chainId)).toMatchObject({ seq: broken?.seq });
    // Screening goes on.
    expect((await caller.screen({ name: 'Fourth One' })).status).toBe(200);
  });

  test('the walk finds what nobody looks at: altered, gone, or unbound', async () => {
    const own = await gateway.tenant('sandbox');
    const caller = await gateway.caller(own, 'agent_l2');
    for (const name of ['First One', 'Second One', 'Third One', 'Fourth One']) {
      await screened(caller, { name });
    }
    const { clock, storage } = gateway.installation;
    const chainId = chainOf(own);
    const parts = sanctionsPartsOf(gateway.process);
    const walks = new ChainWalks({ ...parts, audit: storage.audit, clock, holder: 'test' });
    const head = await gateway.headSeq(own);
    expect(await walks.walk(chainId)).toBe(head);
    const breaks = gateway.process.once(chainBreaksOf);
    expect(await breaks.of(chainId)).toEqual([]);
    // Its time has not come.
    expect(await walks.walk(chainId)).toBe(0);
    const { dataDir } = gateway.installation.config;
    alterEvent(dataDir, { chainId, isGone: true, seq: head - 2 });
    alterEvent(dataDir, { chainId, isUnbound: true, seq: head });
    // By its action it is not found any more.
    alterEvent(dataDir, { action: 'aml.batch.created', chainId, seq: head - 4 });
    const later = { ...clock, now: () => (clock.now() + 25 * 3_600_000) as never };
    const again = new ChainWalks({ ...parts, audit: storage.audit, clock: later, holder: 'test' });
    await again.walk(chainId);
    expect((await breaks.of(chainId)).map(({ seq }) => seq)).toEqual([head - 4, head - 2, head]);
  });
});
