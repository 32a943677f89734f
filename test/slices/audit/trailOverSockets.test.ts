/** The trail over HTTP: its filters and orders, and one event with what it keeps apart. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

interface Row {
  readonly action: string;
  readonly actor: string;
  readonly event_id: string;
  readonly hash: string;
  readonly ip: string | null;
  readonly seq: number;
  readonly target: string;
  readonly timestamp: string;
}
interface Page {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

describe.skipIf(!hasRedis)('the audit trail over sockets', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let auditor: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    auditor = await gateway.caller(tenantId, 'auditor');
    await note(1, 'cli:one');
    await note(2, 'cli:two');
    await note(3, 'cli:one');
  });
  afterAll(() => gateway?.close());

  /** An event as some other part of the product writes it. */
  async function note(number: number, actor: 'cli:one' | 'cli:two', confidential = false) {
    const { installation } = gateway;
    const made = entry(installation, {
      action: 'service.event.dropped',
      actor,
      ip: '203.0.113.7',
      members: { number, ...(confidential && { confidential }) },
      open: { reason: `note ${number}` },
      target: `event:${number}`,
    });
    await installation.audit.commit(chainOf(tenantId), { bus: [], changes: [], events: [made] });
    return made.eventId;
  }

  const rows = async (query: string): Promise<readonly Row[]> =>
    (await auditor.get(`/v1/audit/events?${query}`)).json<Page>().data;
  const targets = async (query: string) => (await rows(query)).map(({ target }) => target);

  test('a beginning with * names all actions that begin so; filters are ANDed', async () => {
    expect(await targets('type=service.*')).toEqual(['event:1', 'event:2', 'event:3']);
    expect(await targets('type=service.event.*&actor=cli:one')).toEqual(['event:1', 'event:3']);
    expect(await targets('actor=cli:two')).toEqual(['event:2']);
    expect(await targets('target=event:3&actor=cli:one')).toEqual(['event:3']);
    expect(await targets('target=event:3&actor=cli:two')).toEqual([]);
    expect(await targets('type=service')).toEqual([]);
    const [row] = await rows('type=service.event.dropped');
    expect(row).toMatchObject({ actor: 'cli:one', ip: '203.0.113.7' });
    const wrong = await auditor.get('/v1/audit/events?type=kyc.*.created');
    expect(wrong.json()).toMatchObject({ errors: [{ pointer: '?type' }], status: 400 });
  });

  test('the order is said or follows from who asks, and pages join in both', async () => {
    const all = await rows('limit=200');
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
    const back: Row[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await auditor.get(`/v1/audit/events?order=desc&limit=2${query}`);
      const page: Page = answer.json<Page>();
      back.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(back).toEqual([...all].reverse());
    const at = all.at(-2)?.timestamp ?? '';
    expect((await rows(`from=${at}&order=desc`)).at(-1)?.timestamp).toBe(at);
  });

  test('one event is shown with its open members, and who looked is an entry', async () => {
    const [row] = await rows('type=service.*');
    const answer = await auditor.get(`/v1/audit/events/${row?.event_id}`);
    const { event } = answer.json<{ event: Record<string, unknown> }>();
    expect(event).toMatchObject({
      details: { ip: '203.0.113.7', reason: 'note 1' },
      hash: row?.hash,
      number: 1,
    });
    const [viewed] = await rows(`type=audit.event.viewed&target=${row?.event_id}`);
    expect(viewed?.actor).toMatch(/^key:/);
    const unknown = await auditor.get(`/v1/audit/events/${crypto.randomUUID()}`);
    expect(unknown.problem()).toMatchObject({ code: 'not-found', status: 404 });
  });

  test('no agent reads open members, and no director an event that is confidential', async () => {
    const eventId = await note(4, 'cli:two', true);
    const agent = await gateway.caller(tenantId, 'agent_l2', 'mlro', 'admin');
    expect((await agent.get(`/v1/audit/events/${eventId}`)).status).toBe(403);
    const director = await gateway.caller(tenantId, 'compliance_director');
    const hidden = await director.get(`/v1/audit/events/${eventId}`);
    const unknown = await director.get(`/v1/audit/events/${crypto.randomUUID()}`);
    expect(hidden.problem()).toEqual(unknown.problem());
    expect((await auditor.get(`/v1/audit/events/${eventId}`)).status).toBe(200);
    // Nor does the entry of that look give it away.
    const trail = await director.get(`/v1/audit/events?target=${eventId}`);
    expect(trail.json()).toEqual({ data: [], next_cursor: null });
    expect(await targets(`target=${eventId}`)).toEqual([eventId]);
  });
});
