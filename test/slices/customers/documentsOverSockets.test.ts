/** Documents over HTTP, as agents and a customer's app send them, and as attackers would. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '#platform/crypto';
import {
  type Answer,
  type Caller,
  openRealGateway,
  type RealGateway,
} from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { jpegOf, pngOf } from '../recognition/mediaFiles.ts';
import { caseOf, HOLDER, passportOf } from './documentDesk.ts';

interface Stored {
  readonly document_id: string;
  readonly sha256: string;
}

const PHOTO = jpegOf({ height: 480, width: 640 });

describe.skipIf(!hasRedis)('documents over sockets', () => {
  let gateway: RealGateway;
  let agent: Caller;
  let path = '';
  let number = 0;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    agent = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    path = await openCase();
  });
  afterAll(() => gateway?.close());

  async function openCase(): Promise<string> {
    const made = await agent.post('/v1/kyc/cases', caseOf(HOLDER, `client-${number++}`));
    expect(made.status, made.text).toBe(201);
    return `${made.headers.get('location')}/documents`;
  }

  function upload(
    file: Uint8Array,
    of: {
      readonly by?: Caller;
      readonly fields?: Readonly<Record<string, string>>;
      readonly key?: string;
      readonly to?: string;
    } = {},
  ): Promise<Answer> {
    const { by = agent, fields = { kind: 'passport' }, key = crypto.randomUUID(), to = path } = of;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([Uint8Array.from(file)]), 'scan.exe');
    return by.send(to, { body: form, headers: { 'Idempotency-Key': key }, method: 'POST' });
  }

  const faultsOf = async (file: Uint8Array): Promise<readonly string[]> => {
    const answer = await upload(file);
    expect(answer.status, answer.text).toBe(422);
    return answer.json<{ errors: { code: string }[] }>().errors.map(({ code }) => code);
  };

  test('one is stored once, whatever its name; the same key gives the same answer', async () => {
    const key = crypto.randomUUID();
    const sha256 = sha256Hex(PHOTO);
    const fields = { kind: 'id_card_front', sha256 };
    const answer = await upload(PHOTO, { fields, key });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json()).toMatchObject({
      bytes: PHOTO.length,
      kind: 'id_card_front',
      media_type: 'image/jpeg',
      pages: 1,
      recognition: { status: 'queued' },
      scan: 'pending',
      sha256,
    });
    expect((await upload(PHOTO, { fields, key })).text).toBe(answer.text);
    const other = await upload(PHOTO, { fields: { kind: 'selfie' }, key });
    expect(other.problem()).toMatchObject({ code: 'idempotency-key-reused', status: 422 });
    const { document_id } = answer.json<Stored>();
    expect(answer.headers.get('location')).toBe(`${path}/${document_id}`);
    const shown = await agent.get(`${path}/${document_id}`);
    expect(shown.json()).toMatchObject({ document_id, recognition: { fields: [], mrz: null } });
  });

  test('hostile files are refused by what they are', async () => {
    expect(await faultsOf(pngOf({ height: 50_000, width: 50_000 }))).toEqual(['pixels']);
    const script = '1 0 obj\n<< /S /JavaScript /JS (app.alert\\(1\\)) >>\nendobj\n';
    const passport = await passportOf();
    const active = Buffer.concat([passport, Buffer.from(`\n${script}%%EOF\n`)]);
    expect(await faultsOf(active)).toContain('active-content');
    const page = Buffer.from('<html><script>alert(1)</script></html>');
    expect(await faultsOf(Buffer.concat([PHOTO, page]))).toEqual(['polyglot']);
    expect(await faultsOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toEqual([
      'kind',
    ]);
    expect(await faultsOf(PHOTO.subarray(0, PHOTO.length - 2))).toEqual(['truncated']);
    expect(await faultsOf(new Uint8Array())).toEqual(['empty']);
    const large = await upload(Buffer.alloc(15 * 1024 * 1024 + 1, 0xff));
    expect(large.problem()).toMatchObject({ code: 'body-too-large', status: 413 });
  });

  test('the form says what is wrong with each of its parts', async () => {
    const sha256 = '0'.repeat(64);
    const digest = await upload(PHOTO, { fields: { kind: 'passport', sha256 } });
    expect(digest.json()).toMatchObject({ code: 'document-invalid', errors: [{ code: 'digest' }] });
    const fields = { expires_on: '2026-02-30', issuing_country: 'XX', kind: 'visa', mrz: 'none' };
    const wrong = await upload(PHOTO, { fields });
    expect(wrong.status).toBe(400);
    expect(
      wrong.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer),
    ).toEqual(['/kind', '/expires_on', '/issuing_country', '/mrz']);
    const json = await agent.post(path, { kind: 'passport' });
    expect(json.problem()).toMatchObject({ code: 'media-type-unsupported', status: 415 });
  });

  test('the bytes are an attachment, for those who work with documents alone', async () => {
    const to = await openCase();
    const { document_id } = (await upload(PHOTO, { to })).json<Stored>();
    const file = await agent.get(`${to}/${document_id}/content`);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('image/jpeg');
    expect(file.headers.get('content-disposition')).toContain('attachment');
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const developer = await gateway.caller(agent.tenantId, 'developer');
    expect((await developer.get(`${to}/${document_id}/content`)).status).toBe(403);
    expect((await upload(PHOTO, { by: developer, to })).status).toBe(201);
    const stranger = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    const foreign = await stranger.get(`${to}/${document_id}/content`);
    expect(foreign.problem()).toMatchObject({ code: 'case-unknown', status: 404 });
    expect((await upload(PHOTO, { by: stranger, to })).status).toBe(404);
    const other = await agent.get(`${path}/${document_id}`);
    expect(other.problem()).toMatchObject({ code: 'case-unknown', status: 404 });
  });
});
