/** Hits whose alerts the outbox would hide: they are raised of signed events, or found missing. */
import { describe, expect, test } from 'vitest';
import { type EventDraft, signedEvents } from '#core/audit';
import {
  type BatchId,
  chainOf,
  type EventId,
  PLATFORM_CHAIN,
  type ScreeningId,
  type TenantId,
} from '#core/kernel';
import { type EpochMs, systemClock } from '#platform/clock';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  type AlertSettings,
  alertOfScreening,
  checkRaised,
  noteBegin,
  onScreened,
  type ReactionPorts,
  raiseAlerts,
} from '#slices/alerts';
import { batchDraft, openDesk, START, TENANT } from './desk.ts';

const id = () => uuidV7(systemClock.now(), systemRandom);
const LATER = (START + 3_600_000) as EpochMs;

function openHouse(settings: Partial<AlertSettings> = {}) {
  const { house, moveTo, ports } = openDesk(settings);
  const { audit, keyRing } = house;
  const reacting = {
    ...ports,
    audit,
    events: signedEvents({ audit, keyRing }),
  } as unknown as ReactionPorts;
  const commit = (event: EventDraft, tenantId: TenantId = TENANT) =>
    ports.commit(chainOf(tenantId), { bus: [], changes: [], events: [event] });
  /** A signed screening, with a hit or without. */
  const screened = async (decision: string): Promise<ScreeningId> => {
    const screeningId = id() as ScreeningId;
    const typology = decision === 'CLEAR' ? null : decision;
    const hit = { directScore: 0.9, ftm_id: 'q-1', rcaHits: [], source_lists_hits: [], typology };
    const hits = typology === null ? [] : [{ ...hit, source_lists_hits: [{ list: 'DEMO' }] }];
    await commit({
      decision,
      eventId: id() as EventId,
      members: { candidates: hits, lists: [], screening_id: screeningId, verdict: { decision } },
      occurredAt: START,
      open: {},
      screeningId,
      type: 'screening',
    });
    return screeningId;
  };
  const begin = () => noteBegin({ ...ports, storage: { audit } });
  const check = (until: EpochMs = LATER) =>
    checkRaised({ audit, keyRing, settingsOf: ports.settingsOf }, { tenantId: TENANT, until });
  const told = (screeningId: ScreeningId, verdict: string) => ({
    partition: TENANT,
    payload: { screeningId, verdict },
  });
  return { begin, check, commit, house, moveTo, ports, reacting, screened, told };
}

const entryOf = (action: string, target: string, members: EventDraft['members']): EventDraft => ({
  action,
  eventId: id() as EventId,
  members: { ...members, action, actor: 'system', target },
  occurredAt: START,
  open: {},
  type: 'entry',
});

describe('an alert', () => {
  test('is raised of the signed event, whatever the outbox says was found', async () => {
    const { house, ports, reacting, screened, told } = openHouse();
    const screeningId = await screened('MATCH_DIRECT_SANCTIONS');
    await onScreened(reacting, [told(screeningId, 'CLEAR')]);
    expect(await alertOfScreening(ports, { screeningId, tenantId: TENANT })).toMatchObject({
      severity: 'Critical',
    });
    const clear = await screened('CLEAR');
    await onScreened(reacting, [told(clear, 'MATCH_DIRECT_SANCTIONS')]);
    expect(await alertOfScreening(ports, { screeningId: clear, tenantId: TENANT })).toBeUndefined();
    expect(house.events.filter(({ action }) => action === 'aml.alert.created')).toHaveLength(1);
  });

  test('of several screenings together is one of one commit', async () => {
    const { house, reacting, screened, told } = openHouse();
    const found = ['MATCH_DIRECT_SANCTIONS', 'CLEAR', 'MATCH_PEP', 'MATCH_PEP'];
    const events = [];
    for (const decision of found) events.push(told(await screened(decision), decision));
    const before = house.commits.length;
    await onScreened(reacting, events);
    expect(house.commits).toHaveLength(before + 1);
    await onScreened(reacting, events);
    expect(house.commits).toHaveLength(before + 1);
    expect(house.events.filter(({ action }) => action === 'aml.alert.created')).toHaveLength(3);
  });
});

describe('a hit without its alert', () => {
  test('is named once alerts are raised at all, and not while workers may be behind', async () => {
    const { begin, check, reacting, screened, told } = openHouse();
    await screened('MATCH_PEP');
    expect(await check()).toEqual({ count: 0, refusals: [] });
    await begin();
    await begin();
    const screeningId = await screened('MATCH_PEP');
    await screened('CLEAR');
    expect(await check(START)).toEqual({ count: 0, refusals: [] });
    const { refusals } = await check();
    expect(refusals).toContain(`screening ${screeningId}: it has hits, and no alert was raised`);
    await onScreened(reacting, [told(screeningId, 'MATCH_PEP')]);
    expect((await check()).refusals).toHaveLength(refusals.length - 1);
  });

  test.each([
    ['settings', 'identity.tenant.settings_changed', `tenant:${TENANT}`],
    ['policy', 'SANCTIONS_POLICY_PUBLISHED', 'policy:2'],
  ])('is looked for since the %s that say what is raised', async (_, action, target) => {
    const { begin, check, commit, screened } = openHouse({ raisedFor: ['MATCH_DIRECT_SANCTIONS'] });
    await begin();
    await screened('MATCH_DIRECT_SANCTIONS');
    expect((await check()).refusals).toHaveLength(1);
    await commit(entryOf(action, target, {}));
    await screened('MATCH_PEP');
    expect(await check()).toEqual({ count: 0, refusals: [] });
    await screened('MATCH_DIRECT_SANCTIONS');
    expect((await check()).refusals).toHaveLength(1);
  });

  test('is missed of a chunk by its figures', async () => {
    const { begin, check, commit, ports } = openHouse();
    await begin();
    const chunk = { by_decision: { match: 2 }, chunk_no: 0, first_ordinal: 0, subjects: 1_000 };
    await commit(entryOf('aml.batch.chunk.screened', 'batch-1', chunk));
    await raiseAlerts(ports, TENANT, [batchDraft(3), batchDraft(1_000)]);
    expect((await check()).refusals).toEqual([
      'batch batch-1: of 2 matches from subject 0 on 1 have alerts',
    ]);
    await raiseAlerts(ports, TENANT, [batchDraft(4)]);
    expect(await check()).toEqual({ count: 1, refusals: [] });
    const batchId = 'batch-2' as BatchId;
    await commit(entryOf('aml.batch.created', batchId, { kind: 'sanctions' }));
    await commit(entryOf('aml.batch.chunk.screened', batchId, chunk));
    expect(await check()).toEqual({ count: 1, refusals: [] });
  });

  test('is named also where an entry of its own time was changed', async () => {
    const { begin, check, house, screened } = openHouse();
    await begin();
    await screened('MATCH_PEP');
    const { events } = house.audit.chain(chainOf(TENANT));
    const [event] = events;
    if (event === undefined) throw new Error('no event');
    events[0] = { ...event, body: event.body.replace('MATCH_PEP', 'MATCH_RCA_DIRECT') };
    expect((await check()).refusals).toEqual(['event seq 1: it is not what was signed']);
    expect(house.audit.chain(PLATFORM_CHAIN).events).toHaveLength(1);
  });
});
