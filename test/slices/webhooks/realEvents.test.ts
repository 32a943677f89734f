/**
 * Every event that is declared really happens once: whatever its slice does for it, the worker's
 * own loops hand it on to an endpoint of each catalogue, and what arrives is what the public schema
 * and the description of the API say. An event that is declared and not made happen here fails.
 */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { entry } from '#core/audit';
import { type BatchId, type Catalog, chainOf, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { uuidV7 } from '#platform/random';
import { batchStore, failBatch } from '#slices/batches';
import {
  addExclusion,
  approveExclusion,
  exclusionPartsOf,
  revokeExclusion,
} from '#slices/exclusions';
import { createForm, publishForm } from '#slices/forms';
import { importList } from '#slices/ingestion';
import type { CountryTable } from '#slices/lists';
import { changePolicySettings, policyPortsOf } from '#slices/policies';
import { planRuns } from '#slices/rescreening';
import { refusalOf } from '#slices/webhooks';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { loadPublicEvents } from '../../../src/app/publicEvents.ts';
import { openWorker } from '../../../src/app/worker/openWorker.ts';
import { formPartsOf } from '../../../src/slices/forms/edge/parts.ts';
import { runPartsOf } from '../../../src/slices/rescreening/edge/runParts.ts';
import { createListReaders } from '../../../src/sources/index.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis, type RealRedis, realRedis } from '../../redis/realRedis.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { postVerdict } from '../customers/postVerdict.ts';
import { FILLED, FORM, NAME, peopleSince, signatureOf } from '../forms/formDesk.ts';
import { importPorts } from '../ingestion/runParts.ts';
import { transactionOf } from '../monitoring/ledger.ts';
import { erasureDesk } from '../privacy/erasureDesk.ts';
import { approveByLink, LISTED, openCase, rejectCase, WAIT } from './caseStory.ts';
import { coerced, type Description, expectFits } from './describedEvents.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';

const ACTOR = 'cli:test' as const;
/** Alerts of payments come when the monitoring has compared their parties, in its own time. */
const IN_ITS_OWN_TIME: ReadonlySet<string> = new Set(['aml.transaction.alert']);
const EVENTS = (await loadPublicEvents()).filter(({ name }) => !IN_ITS_OWN_TIME.has(name));

const wantedIn = (catalog: Catalog): string[] =>
  EVENTS.filter(({ catalogs }) => catalogs.includes(catalog)).map(({ name }) => name);

interface Envelope {
  readonly event: string;
  readonly event_id: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe.skipIf(!hasRedis)('real events', () => {
  let gateway: RealGateway;
  let redis: RealRedis;
  let worker: Awaited<ReturnType<typeof openWorker>>;
  let tenantId: TenantId;
  let caller: Caller;
  const endpoints = new Map<Catalog, { receiver: Receiver; secret: string }>();

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    redis = await realRedis();
    worker = await openWorker(gateway.installation, {
      address: { socketPath: redis.socketPath },
      log: quietLog,
      redis: await redis.connect('background'),
    });
    tenantId = await gateway.tenant('sandbox');
    caller = await gateway.caller(tenantId, 'admin', 'agent_l1', 'agent_l2', 'mlro', 'developer');
    for (const catalog of ['A', 'B'] as const) {
      const receiver = await startReceiver();
      // `*` names no event of reports.
      const events = wantedIn(catalog);
      const made = await caller.post('/v1/webhooks', { catalog, events, url: receiver.url });
      expect(made.status, made.text).toBe(201);
      await openToReports(made.json<{ endpoint: { endpoint_id: string } }>().endpoint.endpoint_id);
      endpoints.set(catalog, { receiver, secret: made.json<{ secret: string }>().secret });
    }
  });
  afterAll(async () => {
    await worker?.stop();
    await gateway?.close();
    await redis?.close();
    for (const { receiver } of endpoints.values()) await receiver.close();
  });

  /** Compliance opens the endpoint for events of reports, which no `*` names. */
  async function openToReports(endpointId: string): Promise<void> {
    const officer = await gateway.caller(tenantId, 'compliance_officer');
    const opened = await officer.send(`/v1/webhooks/${endpointId}/str-events`, {
      body: JSON.stringify({ enabled: true }),
      headers: { 'Content-Type': 'application/json' },
      method: 'PUT',
    });
    expect(opened.status, opened.text).toBe(200);
  }

  const screened = async () => {
    const answer = await caller.screen({ name: LISTED });
    expect(answer.status, answer.text).toBe(200);
    return answer.json<{ screening_id: string; hits: { candidate: { ftm_id: string } }[] }>();
  };

  /** A screening with a hit, which raises an alert; and an exclusion of it, which is taken back. */
  async function decide(): Promise<void> {
    const { hits, screening_id: screeningId } = await screened();
    const ports = exclusionPartsOf(gateway.process);
    const by = (name: string) => ({
      actor: `person:${name}` as const,
      isPerson: true,
      tenantId,
    });
    const [proposed] = await addExclusion(ports, {
      by: by('lena'),
      ftmId: hits[0]?.candidate.ftm_id ?? '',
      reason: 'Another date and another place of birth',
      reasonCode: 'dob_differs',
      screeningId,
    });
    const exclusionIds = [proposed?.exclusionId ?? ''];
    await approveExclusion(ports, { by: by('carl'), exclusionIds });
    await revokeExclusion(ports, { by: by('mia'), exclusionIds });
  }

  async function publishPolicy(): Promise<void> {
    const tenant = await gateway.process.tenants.find(tenantId);
    if (tenant === undefined) throw new Error('the tenant is there');
    const ports = { ...policyPortsOf(gateway.process), settings: gateway.installation.settings };
    await changePolicySettings(ports, {
      actor: ACTOR,
      changes: { 'screening.threshold.direct': 0.91 },
      tenant,
    });
  }

  async function submitBatch(): Promise<BatchId> {
    const subjects = [
      { external_id: 'C-1', full_name: LISTED },
      { external_id: 'C-2', full_name: 'Nobody Atall' },
    ];
    const made = await caller.post('/v1/aml/batches', {
      lists: ['DEMO'],
      name: 'Weekly',
      subjects,
    });
    expect(made.status, made.text).toBe(202);
    return made.json<{ batch_id: BatchId }>().batch_id;
  }

  /** A batch that nothing can be done for; a worker may be quicker, then it is another one. */
  async function failOne(): Promise<void> {
    const { process } = gateway;
    const batches = batchStore(process.storage.tables);
    const ports = { ...process, batches } as unknown as Parameters<typeof failBatch>[0];
    for (let isFailed = false; !isFailed; ) {
      const made = await submitBatch();
      const batch = await batches.findBatch({ batchId: made, tenantId });
      if (batch?.status !== 'queued') continue;
      const failure = { code: 'results-altered', detail: 'for a test' };
      isFailed = await failBatch(ports, batch, failure).then(
        () => true,
        () => false,
      );
    }
  }

  /** As a report that is filed and answered; the slice's own tests go through its states. */
  async function tellOfReport(): Promise<void> {
    const { process } = gateway;
    const strId = uuidV7(process.clock.now(), process.random);
    for (const status of ['submitted', 'acknowledged'] as const) {
      await process.commit(chainOf(tenantId), {
        bus: [
          {
            partition: tenantId,
            payload: { at: '2026-01-01T00:00:00.000Z', status, str_id: strId },
            topic: `aml.str.${status}`,
          },
        ],
        changes: [],
        events: [entry(process, { action: `str.${status}`, actor: ACTOR, target: `str:${strId}` })],
      });
    }
  }

  /** As the end of a replay that differs: none does without another program. */
  async function tellOfReplay(): Promise<void> {
    const { process } = gateway;
    const { screening_id: screeningId } = await screened();
    const replayId = uuidV7(process.clock.now(), process.random);
    const target = `screening:${screeningId}`;
    await process.commit(chainOf(tenantId), {
      bus: [
        {
          partition: tenantId,
          payload: { replayId, screeningId },
          topic: 'sanctions.replay.different',
        },
      ],
      changes: [],
      events: [
        entry(process, {
          action: 'SANCTIONS_REPLAY_DIFFERENT',
          actor: ACTOR,
          members: { replay_id: replayId },
          target,
        }),
      ],
    });
  }

  /** The shipped list a month later, without its last party. */
  async function publishList(): Promise<void> {
    const { installation } = gateway;
    const file = new URL('../../../config/demo/entities.jsonl', import.meta.url);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(0, -1);
    const head = JSON.parse(lines[0] ?? '');
    lines[0] = JSON.stringify({
      ...head,
      entity_count: lines.length - 1,
      release_date: '2026-02-01',
    });
    const reader = createListReaders(countries as CountryTable).get('DEMO');
    if (reader === undefined) throw new Error('no connector reads the shipped list');
    await importList({
      actor: ACTOR,
      ports: importPorts(installation),
      read: Readable.from(lines.map((line) => Buffer.from(`${line}\n`))) as never,
      reader,
      sourceId: 'DEMO',
    });
  }

  /** A payment to a listed party, which raises an alert of the monitoring. */
  async function pay(): Promise<void> {
    const { precision: _, ...payment } = transactionOf(1, {
      creditor: { dob: '1971-03-14', name: LISTED, type: 'person' },
      debtor: { name: 'Ada Moreau' },
    });
    const path = '/v1/aml/transactions/ingest?format=json_service';
    const taken = await caller.post(path, { transactions: [payment] });
    expect(taken.status, taken.text).toBe(202);
  }

  /** Written at the command line, and signed by two persons who are registered for this. */
  async function makeForm(): Promise<string> {
    const { process } = gateway;
    const now = process.clock.now();
    const listPersons = async () => Object.values(peopleSince(now));
    const ports = { ...formPartsOf(process), listPersons };
    const ask = { principal: { actor: ACTOR, kind: 'cli' }, tenantId } as const;
    const { version } = await createForm(ports, ask, { ...FORM, name: NAME });
    const signatures = [signatureOf(version, 'carl', now), signatureOf(version, 'ada', now)];
    const { formId, versionId } = version;
    await publishForm(ports, { ...ask, formId, signatures, versionId });
    return formId;
  }

  async function fillForm(formId: string, caseId: string): Promise<void> {
    const path = `/v1/forms/${formId}/submissions`;
    const sent = await caller.post(path, { case_id: caseId, data: FILLED, locale: 'fr-TN' });
    expect(sent.status, sent.text).toBe(201);
  }

  /** As two persons and a worker do it, of somebody of whom nothing else is held. */
  async function erasePerson(): Promise<void> {
    const desk = erasureDesk(gateway, tenantId);
    const request = await desk.planned('C-erased');
    await desk.approved(request);
    await vi.waitFor(
      // Told of with the first end of its work, whatever a duty keeps.
      async () => expect((await desk.work(request))?.state).not.toBe('running'),
      WAIT,
    );
  }

  /** A report with nothing to report, which the worker generates, and a person hands in. */
  async function declare(): Promise<void> {
    const director = await gateway.caller(tenantId, 'compliance_director');
    const giin = '98Q96B.00000.LE.250';
    const stated = await director.send(`/v1/tcr/reporting-fis/${giin}`, {
      body: JSON.stringify({
        address: { city: 'Paris', country: 'FR' },
        country: 'FR',
        iga_model: 'model_1',
        name: 'Banque Exemple',
        profile: 'oecd-exchange',
      }),
      headers: { 'Content-Type': 'application/json' },
      method: 'PUT',
    });
    expect(stated.status, stated.text).toBe(200);
    const made = await director.post('/v1/tcr/declarations', {
      auto_submit_ides: true,
      nil_report: true,
      receiving_country: 'DE',
      reporting_fi_giin: giin,
      reporting_period: '2024',
      type: 'OECD1',
    });
    expect(made.status, made.text).toBe(201);
    const path = `/v1/tcr/declarations/${made.json<{ declaration_id: string }>().declaration_id}`;
    const name = await vi.waitFor(async () => {
      const shown = await director.get(path);
      const [message] = shown.json<{ messages: { sender_file_id: string | null }[] }>().messages;
      expect(message?.sender_file_id).toMatch(/\.(zip|xml)$/);
      return message?.sender_file_id;
    }, WAIT);
    const filed = await director.post(`${path}/receipts`, {
      ides_transmission_id: 'by hand',
      received_at: '2026-03-31T10:00:00.000Z',
      sender_file_id: name,
    });
    expect(filed.json<{ status: string }>().status, filed.text).toBe('filed');
  }

  async function watchCustomers(): Promise<void> {
    const subjects = [{ external_id: 'C-1', full_name: LISTED }];
    const added = await caller.post('/v1/sanctions/monitored-subjects', { subjects });
    expect(added.status, added.text).toBe(200);
    await planRuns(await runPartsOf(gateway.process as never));
  }

  /** The names that came to the endpoint of a catalogue. */
  const cameTo = (catalog: Catalog): ReadonlySet<string> =>
    new Set(
      (endpoints.get(catalog)?.receiver.received ?? [])
        .map(({ body }) => JSON.parse(body).event as string)
        .filter((name) => !IN_ITS_OWN_TIME.has(name)),
    );
  test('each comes to both catalogues, as its schema and the description say', async () => {
    await decide();
    await publishPolicy();
    await failOne();
    await submitBatch();
    await tellOfReplay();
    await tellOfReport();
    await pay();
    await publishList();
    await watchCustomers();
    const formId = await makeForm();
    await fillForm(formId, await openCase(caller));
    await erasePerson();
    await rejectCase(caller);
    await approveByLink(caller, formId);
    await postVerdict(caller);
    await declare();
    const answer = await fetch(`${gateway.origin}/openapi.json`);
    const description = (await answer.json()) as Description;
    for (const catalog of ['A', 'B'] as const) {
      await vi.waitFor(
        () => expect([...cameTo(catalog)].toSorted()).toEqual(wantedIn(catalog)),
        WAIT,
      );
      const { receiver, secret } = endpoints.get(catalog) ?? { secret: '' };
      for (const received of receiver?.received ?? []) {
        await expectGood(received, { catalog, description, secret });
      }
    }
  });

  async function expectGood(
    { body, headers }: Received,
    of: {
      readonly catalog: Catalog;
      readonly description: Description;
      readonly secret: string;
    },
  ): Promise<void> {
    const envelope = JSON.parse(body) as Envelope;
    const { event, event_id: eventId } = envelope;
    expect(body).toBe(canonicalJson(envelope as never));
    const nowS = Math.floor(Date.now() / 1_000);
    const header = headers['x-service-signature'] ?? '';
    expect(refusalOf({ body, header, nowS, secret: of.secret })).toBeUndefined();
    const page = await fetch(`${gateway.origin}/schemas/webhooks/${event}.v1.json`);
    expectFits(event, { schema: (await page.json()) as object, value: envelope.data });
    const described = of.description.webhooks[event]?.post;
    expect(described?.['x-catalogs']).toContain(of.catalog);
    const { schema } = described?.requestBody.content['application/json'] ?? { schema: {} };
    expectFits(event, { schema, value: envelope });
    for (const { in: place, name, required, schema: one } of described?.parameters ?? []) {
      expect(place).toBe('header');
      const value = headers[name.toLowerCase()];
      if (value === undefined) expect(required, name).not.toBe(true);
      else expectFits(name, { schema: one, value: 'pattern' in one ? value : coerced(one, value) });
    }
    expect(headers['x-service-event-id']).toBe(eventId);
  }
});
