/**
 * Reports of screenings with nothing replaced: made over both HTTP adapters, fetched by their
 * links, read in three languages, verified offline, and refused where a byte is another one.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eraseEvidence, newKeyRing } from '#core/audit';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { readAttachment } from '#platform/pdfAttachment';
import { factsOfProcess } from '#slices/lists';
import {
  createReportLinks,
  REPORT_LINK_MS,
  reportFile,
  reportText,
  verifyReport,
} from '#slices/sanctions';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import { drawReport } from '../../../src/reports/index.ts';
import { reportPartsOfCommand } from '../../../src/slices/sanctions/edge/reportParts.ts';
import { reportOperation } from '../../../src/slices/sanctions/edge/reports.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { hasRedis } from '../../redis/realRedis.ts';

interface Links {
  readonly url: string;
  readonly signature_url: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly expires_at: string;
}

async function textOf(pdf: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const items: string[] = [];
  for (let page = 1; page <= document.numPages; page++) {
    const content = await (await document.getPage(page)).getTextContent();
    for (const item of content.items) if ('str' in item) items.push(item.str);
  }
  return items.join('\n');
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('%s: reports', (technology) => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let supervisor: Caller;
  let screeningId: string;
  let seq: number;
  let folder: string;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1');
    supervisor = await gateway.caller(tenantId, 'agent_l2');
    folder = await mkdtemp(join(tmpdir(), 'reports-'));
    const answer = await supervisor.screen({ dob: '1971-03-14', name: 'طارق فلموراني' });
    const { audit, screening_id } = answer.json<{
      audit: { seq: number };
      screening_id: string;
    }>();
    [screeningId, seq] = [screening_id, audit.seq];
  });
  afterAll(async () => {
    await gateway?.close();
    if (folder !== undefined) await rm(folder, { force: true, recursive: true });
  });

  const pathOf = (lang: string, id = screeningId) =>
    `/v1/sanctions/screenings/${id}/export.pdf?lang=${lang}`;
  const asJson = { headers: { Accept: 'application/json' }, method: 'GET' };
  const linksOf = async (lang: string, caller = supervisor): Promise<Links> => {
    const answer = await caller.send(pathOf(lang), asJson);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.json<Links>();
  };
  const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
  const keys = () => gateway.installation.keyRing;

  async function verified(pdf: Buffer, signature?: string) {
    const file = join(folder, `${crypto.randomUUID()}.pdf`);
    const ring = join(folder, 'keys.json');
    await writeFile(file, pdf);
    await writeFile(ring, JSON.stringify(keys()));
    if (signature !== undefined) await writeFile(`${file}.sig`, signature);
    let out = '';
    const streams = {
      err: { write: (text: string) => (out += text) },
      out: { write: (text: string) => (out += text) },
    };
    const words = ['screening', 'verify-report', file, '--keys', ring, '--json'];
    const code = await runCommandLine(
      words,
      streams,
      surroundings({ clock: systemClock, need: () => drawReport as never }),
    );
    return { code, ...(JSON.parse(out) as { checked: string[]; reason: string | null }) };
  }

  test('303 to a PDF that anyone with the keys verifies, in three languages', async () => {
    const answer = await supervisor.send(pathOf('ar'), { method: 'GET', redirect: 'manual' });
    expect(answer.status).toBe(303);
    const links = answer.json<Links>();
    expect(answer.headers.get('location')).toBe(links.url);
    expect(Date.parse(links.expires_at)).toBeGreaterThan(Date.now() + REPORT_LINK_MS - 60_000);
    for (const [lang, words] of [
      ['ar', ['تقرير فرز', 'تطابق مباشر مع قائمة عقوبات']],
      ['fr', ['Rapport de filtrage', 'Correspondance avec une liste de sanctions']],
      ['en', ['Report of a screening', 'Match with a sanctions list']],
    ] as const) {
      const { bytes, sha256, signature_url, url } = await linksOf(lang);
      const response = await fetch(url);
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('etag')).toBe(`"${sha256}"`);
      const pdf = Buffer.from(await response.arrayBuffer());
      expect(pdf.length).toBe(bytes);
      const text = await textOf(pdf);
      for (const word of [...words, screeningId, 'Tarek Velmorani', 'MATCH_DIRECT_SANCTIONS']) {
        expect(text.replaceAll('\n', ' ')).toContain(word);
      }
      const signature = (await bytesOf(signature_url)).toString();
      const held = ['statement', 'event'];
      expect(await verified(pdf, signature)).toMatchObject({
        checked: expect.arrayContaining([...held, 'pages by their signature']),
        code: 0,
      });
      expect(await verified(pdf)).toMatchObject({
        checked: expect.arrayContaining([...held, 'pages by drawing them again']),
        code: 0,
      });
    }
  });

  test('a byte that is another one is refused, wherever it is', async () => {
    const { signature_url, url } = await linksOf('en');
    const pdf = await bytesOf(url);
    const signature = (await bytesOf(signature_url)).toString();
    const flipped = (at: number) => {
      const copy = Buffer.from(pdf);
      copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
      return copy;
    };
    // In the pages, in the event, and in the statement.
    const evidence = pdf.indexOf('"event":{');
    const places = [
      pdf.length - 40,
      pdf.indexOf('"requested_by":"') + 20,
      pdf.indexOf('"issued":{"at":"') + 17,
    ];
    expect(evidence).toBeGreaterThan(0);
    for (const at of places) {
      expect(await verified(flipped(at), signature)).toMatchObject({ code: 1 });
      expect(await verified(flipped(at))).toMatchObject({ code: 1 });
    }
    expect((await verified(pdf.subarray(0, -1))).code).toBe(1);
    const other = newKeyRing(signerFromSeed(new Uint8Array(32).fill(3)).publicKey);
    const attached = readAttachment(pdf) ?? Buffer.alloc(0);
    expect(verifyReport(attached, other)).toMatchObject({ ok: false });
    const read = verifyReport(attached, keys());
    expect(read).toMatchObject({ ok: true, report: { report: { event_seq: seq } } });
    if (!read.ok) return;
    // Words of another report beside this event.
    const { event, report } = read.report;
    const swapped = reportText({ event, report: { ...report, screening_id: crypto.randomUUID() } });
    expect(verifyReport(Buffer.from(swapped), keys())).toMatchObject({ ok: false });
    const spelt = JSON.stringify({ report, event }, undefined, 1);
    expect(verifyReport(Buffer.from(spelt), keys())).toMatchObject({ ok: false });
  });

  test('the same content is the same file; each asking is an entry', async () => {
    const exported = async () => {
      const { audit } = gateway.installation.storage;
      const chainId = chainOf(tenantId);
      const ask = { action: 'SCREENING_EXPORTED', chainId, fromSeq: 1, limit: 100 };
      return (await audit.readEvents(ask)).map(({ body }) => JSON.parse(body));
    };
    const before = (await exported()).length;
    const [one, other] = [await linksOf('en'), await linksOf('en')];
    expect(other.sha256).toBe(one.sha256);
    const entries = await exported();
    expect(entries.length).toBe(before + 2);
    expect(entries.at(-1)).toMatchObject({
      lang: 'en',
      report_sha256: one.sha256,
      target: `screening:${screeningId}`,
    });
  });

  test('a place in the chain that nobody has signed stands in no report', async () => {
    const { process } = gateway;
    const { audit: store } = process.storage;
    const audit = {
      findByScreening: store.findByScreening.bind(store),
      findBySeq: store.findBySeq.bind(store),
      head: store.head.bind(store),
      latestCheckpoint: store.latestCheckpoint.bind(store),
    };
    const draw = async () => new Uint8Array([1]);
    const parts = { ...reportPartsOfCommand(process as never, factsOfProcess(process)), draw };
    const made = (forged: Partial<typeof audit>) =>
      reportFile(
        { ...parts, audit: { ...audit, ...forged } },
        { actor: 'cli:test', lang: 'en', screeningId, tenantId },
        { signal: new AbortController().signal, turn: tenantId },
      );
    expect((await made({})).sha256).toMatch(/^[0-9a-f]{64}$/);
    const hash = 'ab'.repeat(32);
    const altered = { code: 'evidence-altered' };
    const { seq: headSeq } = await audit.head(chainOf(tenantId));
    for (const at of [headSeq, headSeq + 1_000_000]) {
      await expect(made({ head: async () => ({ hash, seq: at }) })).rejects.toMatchObject(altered);
    }
    const checkpoint = {
      at: '2026-06-15T12:00:00.000Z',
      hash,
      key_id: process.signer.keyId,
      seq: headSeq + 1,
      signature: Buffer.alloc(64).toString('base64'),
      tenant_id: tenantId,
    };
    const latestCheckpoint = async () => checkpoint;
    await expect(made({ latestCheckpoint })).rejects.toMatchObject(altered);
  });

  test('who may not see it, a foreign tenant and a forged link are told nothing', async () => {
    expect((await agent.send(pathOf('en'), asJson)).status).toBe(404);
    const own = (await agent.screen({ name: 'Nobody Atall' })).json<{ screening_id: string }>();
    expect((await agent.send(pathOf('fr', own.screening_id), asJson)).status).toBe(200);
    const foreign = await gateway.caller(await gateway.tenant('sandbox'), 'auditor');
    expect((await foreign.send(pathOf('en'), asJson)).status).toBe(404);
    const developer = await gateway.caller(tenantId, 'developer');
    expect((await developer.send(pathOf('en'), asJson)).status).toBe(403);
    expect((await supervisor.send(pathOf('de'), asJson)).status).toBe(400);
    const { url } = await linksOf('en');
    for (const forged of [
      `${url}x`,
      url.slice(0, -2),
      `${url.slice(0, url.lastIndexOf('/'))}/a.b`,
    ]) {
      expect((await fetch(forged)).status).toBe(404);
    }
  });

  test('a link ends after thirty minutes, and with the erasure of who was screened', async () => {
    const now = Date.now();
    let at = now;
    const key = gateway.process.secretOf('screening-pdf-v1');
    const links = createReportLinks({ clock: { now: () => at as never }, key });
    const link = {
      blob: 'ab'.repeat(32),
      isErased: false,
      lang: 'en',
      part: 'pdf',
      screeningId,
      sha256: 'cd'.repeat(32),
      tenantId,
    } as const;
    const token = links.issue(link, (now + REPORT_LINK_MS) as never);
    expect(links.open(token)).toEqual(link);
    at = now + REPORT_LINK_MS;
    expect(() => links.open(token)).toThrow(expect.objectContaining({ code: 'link-expired' }));

    const { url } = await linksOf('en');
    const { audit, clock, random, storage } = gateway.process;
    const ports = { audit, clock, random, store: storage.audit };
    await eraseEvidence(ports, {
      actor: 'cli:test',
      chainId: chainOf(tenantId),
      reason: 'a request',
      screeningId: screeningId as ScreeningId,
    });
    expect((await fetch(url)).status).toBe(404);
    const erased = await linksOf('en');
    const pdf = await bytesOf(erased.url);
    expect(await textOf(pdf)).toContain('were erased');
    expect(await verified(pdf)).toMatchObject({ code: 0 });
  });
});

test('a policy that allows no export is obeyed', async () => {
  const operation = reportOperation({ isAllowed: async () => false } as never);
  const context = { params: { id: 'x' }, query: {}, request: {}, tenantId: 't' };
  await expect(operation.handle(context as never)).rejects.toMatchObject({
    code: 'export-disabled',
  });
});
