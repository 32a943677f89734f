/** The ways to an authority: files, calls, hands; each sends once, whatever dies in between. */
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '#platform/random';
import {
  afterBusinessDays,
  configureRemote,
  dispatchStep,
  fiuCaller,
  openRemote,
  readFincenReceipt,
} from '#slices/str';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { openStrDesk, type StrDesk, TENANT, WHOLE } from './strDesk.ts';

const RECEIPT = (status: string, inner: string) =>
  Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><EFilingBatchXML StatusCode="${status}" SeqNum="1">` +
      `<EFilingSubmissionXML SeqNum="2"><EFilingActivityXML SeqNum="3">${inner}` +
      '</EFilingActivityXML></EFilingSubmissionXML></EFilingBatchXML>',
  );
const TAKEN = RECEIPT('A', '<BSAID>31000000000001</BSAID>');

/** A live tenant's report by a profile that an FIU takes: the desk's own, said to be filable. */
async function filed(desk: StrDesk, reference: string): Promise<string> {
  const { strId } = await desk.validated('agnes', { ...WHOLE, entity_reference: reference });
  await desk.submit(strId);
  return strId;
}

describe('by files', () => {
  let desk: StrDesk;
  beforeAll(async () => {
    desk = await openStrDesk(makeSqliteHarness, { channel: 'folder', isFilable: true });
  });
  afterAll(() => desk.close());
  const path = (...of: readonly string[]) => join(desk.folder, TENANT, ...of);

  test('a package is whole under its name, and its receipt ends it', async () => {
    const strId = await filed(desk, 'F-1');
    await desk.step(strId);
    expect(await readdir(path('out'))).toEqual(['F-1.zip']);
    expect((await desk.dispatch(strId))?.state).toBe('sent');
    await mkdir(path('in'), { recursive: true });
    // Half a receipt, and one of another report, change nothing.
    await writeFile(path('in', 'F-1.xml'), TAKEN.subarray(0, 80));
    await writeFile(path('in', 'F-11.xml'), TAKEN);
    desk.clock.advance(60_000);
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('submitted');
    await writeFile(path('in', 'F-1.xml'), TAKEN);
    desk.clock.advance(60_000);
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('acknowledged');
    expect(await readdir(path('done'))).toEqual(['F-1.xml']);
  });

  test('a worker that dies before it has noted it sends no second one', async () => {
    const strId = await filed(desk, 'F-2');
    const dying = { ...desk.ports, commit: () => Promise.reject(new Error('killed')) };
    const hold = await desk.hold(strId);
    await expect(dispatchStep(dying as never, hold as never)).rejects.toThrow('killed');
    await hold?.giveBack({ isTried: false });
    // Whoever carries packages has taken it away meanwhile.
    await rename(path('out', 'F-2.zip'), path('taken.zip'));
    await desk.step(strId);
    expect(await readdir(path('out'))).not.toContain('F-2.zip');
    expect((await desk.dispatch(strId))?.state).toBe('sent');
    expect(await desk.entries('str.sent', strId)).toHaveLength(1);
  });

  test('what an authority refuses is kept with its reasons', async () => {
    const strId = await filed(desk, 'F-3');
    await desk.step(strId);
    const error =
      '<EFilingActivityErrorXML><ErrorContextText>Batch/Activity[1]/Party[2]</ErrorContextText>' +
      '<ErrorLevelText>FATAL</ErrorLevelText><ErrorText>No name</ErrorText>' +
      '<ErrorTypeCode>C4</ErrorTypeCode></EFilingActivityErrorXML>';
    await writeFile(path('in', 'F-3.ack.xml'), RECEIPT('R', error));
    desk.clock.advance(60_000);
    await desk.step(strId);
    const report = await desk.find(strId);
    expect([report.status, report.submissions[0]?.outcome?.kind]).toEqual(['returned', 'refused']);
  });

  test('a dispatch that was moved to the sandbox’s channel acknowledges nothing', async () => {
    const strId = await filed(desk, 'F-4');
    expect(await desk.alter('str_dispatch', '"folder"', '"sandbox"')).toBeGreaterThan(0);
    await expect(desk.step(strId)).rejects.toMatchObject({ code: 'state-altered' });
    expect((await desk.find(strId)).status).toBe('submitted');
    expect(await desk.ports.signed.check(TENANT)).toContain(
      'a report to the authority: its dispatch is not that of its submission',
    );
  });
});

const dataDir = process.env.TEST_DATA_DIR;
test.skipIf(!dataDir)('FinCEN’s own sample is an acknowledgement with warnings', async () => {
  const file = join(dataDir ?? '', 'tax', 'fincen', 'sar_acknowledgement.xml');
  const answer = readFincenReceipt(await readFile(file));
  expect(answer).toMatchObject({ fiuReference: '31000055053784', kind: 'acknowledged' });
  expect(answer?.reasons?.map(({ code }) => code)).toEqual(['C21', 'C4']);
});

describe('by calls', () => {
  let desk: StrDesk;
  let server: Server;
  const agent = new Agent();
  const reports: { key: string; reference: string; status: string }[] = [];
  let posts = 0;
  let onPost: 'answer' | 'drop' | 'refuse' = 'answer';
  let isFiltering = true;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://fiu');
      const isKnown = request.headers.authorization === `Basic ${btoa('bank:secret')}`;
      if (!isKnown) return void response.writeHead(401).end();
      if (request.method === 'GET') {
        const filter = url.searchParams.get('$filter') ?? '';
        const value = reports
          .filter(
            ({ key, reference }) =>
              !isFiltering || filter.includes(`'${key}'`) || filter.includes(`'${reference}'`),
          )
          .map(({ key, reference, status }) => ({
            EntityReference: reference,
            FiuRefNumber: `R-${key}`,
            ReportKey: key,
            Status: status,
          }));
        return void response.end(JSON.stringify({ value }));
      }
      let text = '';
      request.setEncoding('latin1').on('data', (piece) => {
        text += piece;
      });
      request.on('end', () => {
        posts++;
        if (onPost === 'refuse') {
          response.writeHead(400);
          return void response.end(
            JSON.stringify({ errors: [{ code: 'X1', message: 'No branch' }] }),
          );
        }
        const reference = /filename="([^"]+)\.zip"/.exec(text)?.[1] ?? '';
        reports.push({ key: String(1_000 + posts), reference, status: 'Processing' });
        if (onPost === 'drop') return void request.socket.destroy();
        response.end(JSON.stringify({ reportkey: String(1_000 + posts) }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    desk = await openStrDesk(makeSqliteHarness, {
      channel: 'goaml_b2b',
      isFilable: true,
      ports: {
        callerOf: async () =>
          fiuCaller({
            dispatcher: agent,
            password: 'secret',
            random: systemRandom,
            url: `http://127.0.0.1:${port}`,
            user: 'bank',
          }),
      },
    });
    await configureRemote(
      { ...desk.ports, secrets: desk.secrets },
      {
        actor: 'cli:test',
        isEnabled: true,
        password: 'secret',
        tenantId: TENANT,
        url: 'https://fiu.example/',
        user: 'bank',
      },
    );
  });
  afterEach(() => {
    onPost = 'answer';
  });
  afterAll(async () => {
    await agent.destroy();
    server.close();
    await desk.close();
  });

  test('posted once, asked for until it is answered, and acknowledged', async () => {
    const before = posts;
    const strId = await filed(desk, 'B-1');
    await desk.step(strId);
    expect([posts - before, (await desk.dispatch(strId))?.state]).toEqual([1, 'sent']);
    desk.clock.advance(60_000);
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('submitted');
    for (const one of reports) one.status = 'Accepted';
    desk.clock.advance(60_000);
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('acknowledged');
    expect(posts - before).toBe(1);
  });

  test('an answer that never came is looked for by its reference first', async () => {
    const before = posts;
    onPost = 'drop';
    const strId = await filed(desk, 'B-2');
    await expect(desk.step(strId)).rejects.toMatchObject({ code: 'fiu-unreachable' });
    await desk.release(strId);
    onPost = 'answer';
    await desk.step(strId);
    expect([posts - before, (await desk.dispatch(strId))?.state]).toEqual([1, 'sent']);
  });

  test('what is refused at once comes back with its reasons', async () => {
    onPost = 'refuse';
    const strId = await filed(desk, 'B-3');
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('returned');
  });

  test('reports of others are not taken for it, where a server does not filter', async () => {
    for (const one of reports) one.status = 'Accepted';
    isFiltering = false;
    const before = posts;
    const strId = await filed(desk, 'B-4');
    await desk.step(strId);
    expect([posts - before, (await desk.dispatch(strId))?.state]).toEqual([1, 'sent']);
    reports.unshift(...reports.splice(-1));
    desk.clock.advance(60_000);
    await desk.step(strId);
    expect((await desk.find(strId)).status).toBe('submitted');
    isFiltering = true;
  });

  test('the password is sealed, and an address that was altered is refused', async () => {
    const ports = { ...desk.ports, secrets: desk.secrets };
    expect((await openRemote(ports, TENANT)).password).toBe('secret');
    expect(await desk.alter('str_remote', 'fiu.example', 'evil.example')).toBe(1);
    await expect(openRemote(ports, TENANT)).rejects.toMatchObject({ code: 'state-altered' });
  });
});

describe('by hand', () => {
  test('business days pass over the weekend', () => {
    const friday = Date.UTC(2026, 0, 2, 10) as Parameters<typeof afterBusinessDays>[0];
    expect(new Date(afterBusinessDays(friday, 3)).toISOString()).toBe('2026-01-07T10:00:00.000Z');
  });
});
