/** The sanctions batch: names in, one answer to poll, each name a screening with its evidence. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import {
  BatchIds,
  chunkTable,
  noCounts,
  packLines,
  rootOfLines,
  type SubjectResult,
} from '#slices/batches';
import { chunkEntry } from '../../../../src/slices/batches/batchEvidence.ts';
import { ScreeningOrBatch } from '../../../../src/slices/batches/edge/screeningSchemas.ts';
import { UPLOADS_PER_TENANT_MAX } from '../../../../src/slices/batches/limits.ts';
import { TECHNOLOGIES } from '../../../api/http/adapters.ts';
import { RawClient } from '../../../api/http/rawClient.ts';
import {
  type Caller,
  openRealGateway,
  type Problem,
  type RealGateway,
} from '../../../api/realGateway.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import {
  changeBatch,
  csvOf,
  filesIn,
  formOf,
  misdescribed,
  postForm,
  readSource,
  storedBatch,
  withChunks,
} from './fixture.ts';

const PATH = '/v1/sanctions/screen/batch';
const NAMES = [
  { dob: '1971-03-14', external_id: 'C-1', name: 'Tarek Velmorani', type: 'Person' },
  { name: 'سالم بن علي', transliterations: ['Salem Ben Ali', 'Salim bin Ali'] },
];

interface Created {
  readonly screening_id: string;
  readonly status: string;
  readonly subjects_total: number;
}
interface Polled {
  readonly data: readonly { readonly external_id: string; readonly screening_id: string }[];
  readonly next_cursor: string | null;
  readonly processed: number;
  readonly status: string;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('a sanctions batch over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
  });
  afterAll(() => gateway?.close());

  const create = async (body: object = { subjects: NAMES }): Promise<Created> => {
    const answer = await bank.post(PATH, body);
    expect(answer.status, answer.text).toBe(202);
    return answer.json<Created>();
  };
  const poll = async (id: string, query = '') =>
    (await bank.get(`/v1/sanctions/screenings/${id}?${query}`)).json<Polled>();

  test.each([['subjects'], ['screenings']])(
    '%s: queued, to be asked after by its id',
    async (member) => {
      const created = await create({ [member]: NAMES, lists: ['DEMO'] });
      expect(created).toMatchObject({ status: 'queued', subjects_total: 2 });
      expect(await poll(created.screening_id)).toMatchObject({
        data: [],
        lists: ['DEMO'],
        processed: 0,
        progress_pct: 0,
        status: 'queued',
        total: 2,
      });
      const written = await readSource(gateway, bank.tenantId, created.screening_id);
      expect(JSON.parse(written.toString())).toEqual({
        subjects: [
          {
            dob: '1971-03-14',
            external_id: 'C-1',
            full_name: 'Tarek Velmorani',
            type: 'individual',
          },
          {
            external_id: '2',
            full_name: 'سالم بن علي',
            full_name_transliterations: ['Salem Ben Ali', 'Salim bin Ali'],
          },
        ],
      });
    },
  );

  test('its subjects are asked after page by page, while they are screened', async () => {
    const { screening_id: id } = await create();
    const queued = await storedBatch(gateway, bank.tenantId, id);
    let batch = await withChunks(gateway, queued, { chunkSubjects: 2, chunks: 2 });
    for (const chunkNo of [0, 1]) {
      const ids = new BatchIds(batch);
      const lines = [0, 1].map((at) => canonicalJson(screened(ids, chunkNo * 2 + at)));
      const { address } = await gateway.installation.blobs.put(await packLines(lines));
      const result = {
        ...noCounts(),
        blob: address,
        completedAt: batch.requestedAt,
        merkleRoot: rootOfLines(lines),
      };
      const { batchId } = batch;
      const { tables } = gateway.installation.storage;
      const chunk = await tables.find(chunkTable, { batchId, chunkNo });
      if (chunk === undefined) throw new Error(`chunk ${chunkNo} is not there`);
      const changes = [chunkTable.put({ ...chunk, result })];
      const events = [chunkEntry(gateway.installation, batch, { ...chunk, result })];
      batch = await changeBatch(gateway, batch, {}, changes, events);
      if (chunkNo === 1) continue;
      const early = await poll(id);
      expect(early.data.map(({ external_id }) => external_id)).toEqual(['S-0', 'S-1']);
      expect(early.next_cursor).not.toBeNull();
    }
    const first = await poll(id, 'limit=3');
    expect(misdescribed(ScreeningOrBatch, first)).toEqual([]);
    expect(first.data[0]).toEqual({
      decision: 'CLEAR',
      external_id: 'S-0',
      hits_count: 0,
      screening_id: '00000000-0000-7000-8000-000000000000',
    });
    const rest = await poll(id, `limit=3&cursor=${first.next_cursor}`);
    const ids = [...first.data, ...rest.data].map(({ external_id }) => external_id);
    expect([ids, rest.next_cursor]).toEqual([['S-0', 'S-1', 'S-2', 'S-3'], null]);
  });

  test.each([
    [{}, '/subjects', 'missing'],
    [{ subjects: [] }, '/subjects', 'range'],
    [{ screenings: 'x' }, '/screenings', 'type'],
    [{ screenings: NAMES, subjects: NAMES }, undefined, 'format'],
    [{ subjects: [{ name: '' }] }, '/subjects/0/name', 'range'],
    [{ subjects: [{ name: 'a', type: 'Ship' }] }, '/subjects/0/type', 'format'],
    [{ subjects: [{ name: 'a' }, { dob: '1971-02-30', name: 'b' }] }, '/subjects/1/dob', 'range'],
    [{ subjects: [{ dob: '9999-12-31', name: 'a' }] }, '/subjects/0/dob', 'range'],
    [{ subjects: [{ dob: '31.12.1971', name: 'a' }] }, '/subjects/0/dob', 'format'],
    [{ screenings: [{ name: 'a', nationality: 'UK' }] }, '/screenings/0/nationality', 'format'],
    [{ subjects: [{ name: 'a\u202eb' }] }, '/subjects/0/name', 'format'],
    [
      { subjects: [{ name: 'a', transliterations: ['\u0007'] }] },
      '/subjects/0/transliterations/0',
      'format',
    ],
    [{ subjects: [{ full_name: 'a', name: 'a' }] }, '/subjects/0/full_name', 'unknown-member'],
    [
      { subjects: [{ external_id: '2', name: 'a' }, { name: 'b' }] },
      '/subjects/1/external_id',
      'repeated',
    ],
    [{ subjects: Array.from({ length: 10_001 }, () => ({ name: 'a' })) }, '/subjects', 'too-long'],
    [{ lists: 'UN', subjects: NAMES }, '/lists', 'type'],
    [{ lists: ['XX'], subjects: NAMES }, '/lists/0', 'unknown-list'],
    [{ mode: 'delta', subjects: NAMES }, '/mode', 'unknown-member'],
  ])('%.60j is refused at %s', async (body, pointer, code) => {
    const files = await filesIn(gateway, 'sha256');
    const answer = await bank.post(PATH, body);
    const [first] = answer.json<Problem>().errors;
    expect(answer.status).toBe(400);
    expect(first?.code).toBe(code);
    if (pointer !== undefined) expect(first?.pointer).toBe(pointer);
    expect(await filesIn(gateway, 'sha256')).toEqual(files);
  });

  test('ten thousand are taken, and a repeated request is answered again', async () => {
    const subjects = Array.from({ length: 10_000 }, (_, at) => ({
      external_id: `C-${at}`,
      name: `Somebody With A Longer Name ${at}`,
      nationality: 'TN',
      transliterations: ['Another Spelling Of It'],
    }));
    const key = crypto.randomUUID();
    const first = await bank.post(PATH, { subjects }, { key });
    expect(first.json<Created>().subjects_total).toBe(10_000);
    const again = await bank.post(PATH, { subjects }, { key });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    const other = await bank.post(PATH, { subjects: subjects.slice(1) }, { key });
    expect(other.problem().code).toBe('idempotency-key-reused');
  });

  test('slow ones are on disk, in the slots of all uploads, and stop no other tenant', async () => {
    const names = JSON.stringify({ subjects: Array.from({ length: 9_000 }, () => NAMES[1]) });
    const body = Buffer.from(names);
    const clients = await Promise.all(
      Array.from({ length: UPLOADS_PER_TENANT_MAX }, async () => {
        const client = await RawClient.open(Number(new URL(gateway.origin).port));
        client.write(
          `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${bank.credentialLine}\r\n` +
            `Idempotency-Key: ${crypto.randomUUID()}\r\nContent-Type: application/json\r\n` +
            `Content-Length: ${body.length}\r\n\r\n`,
        );
        client.socket.write(body.subarray(0, 100_000));
        return client;
      }),
    );
    const drafts = () => filesIn(gateway, 'tmp');
    await expect.poll(drafts, { timeout: 60_000 }).toHaveLength(UPLOADS_PER_TENANT_MAX);
    const refused = { code: 'rate-limited', detail: 'expected at most 16 uploads at once' };
    expect((await bank.post(PATH, { subjects: NAMES })).problem()).toMatchObject(refused);
    const form = formOf([['name', 'Night']], csvOf(5));
    expect((await postForm(bank, form)).problem()).toMatchObject(refused);
    const insurer = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    expect((await insurer.post(PATH, { subjects: NAMES })).status).toBe(202);
    for (const client of clients) client.end();
    await expect.poll(drafts, { timeout: 60_000 }).toEqual([]);
    const again = async () => (await bank.post(PATH, { subjects: NAMES })).status;
    await expect.poll(again, { timeout: 60_000 }).toBe(202);
  });

  test('is no AML batch, and nobody else’s', async () => {
    const { screening_id: id } = await create();
    expect((await bank.get(`/v1/aml/batches/${id}`)).status).toBe(404);
    const insurer = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    expect((await insurer.get(`/v1/sanctions/screenings/${id}`)).problem()).toMatchObject({
      code: 'not-found',
      status: 404,
    });
    const listed = (await bank.get('/v1/aml/batches')).json<{ data: unknown[] }>();
    expect(listed.data).toEqual([]);
  });
});

function screened(ids: BatchIds, ordinal: number): SubjectResult & { readonly screening: object } {
  return {
    batch_subject_id: ids.subject(ordinal),
    decision: 'auto_clear',
    external_id: `S-${ordinal}`,
    hits: [],
    line: ordinal + 1,
    ordinal,
    salt: ids.salt(ordinal),
    screening: {
      decision: 'CLEAR',
      screening_id: `00000000-0000-7000-8000-00000000000${ordinal}`,
    },
    subject: { external_id: `S-${ordinal}`, full_name: 'Somebody' },
    truncated: false,
  };
}
