/** Screenings at the command line, over a real installation: listed, shown and repeated. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { start } from '../../../../src/slices/sanctions/edge/jobs.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../../api/realGateway.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import { alterEvent } from '../alterEvent.ts';

let gateway: RealGateway;
let caller: Caller;
let tenantId: TenantId;
let work: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  if (!hasRedis) return;
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  caller = await gateway.caller(tenantId, 'agent_l2');
  work = await start(gateway.process as never);
});
afterAll(async () => {
  await work?.stop();
  await gateway?.close();
});

async function run(...words: string[]) {
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const wake = async () => work.wake?.();
  const code = await runCommandLine(
    ['screening', ...words, '--tenant', tenantId],
    streams,
    surroundings({ clock: systemClock, open: opened({ ...gateway.process, wake }) }),
  );
  return { code, err, out };
}

test.skipIf(!hasRedis)(
  'a screening is listed, shown and repeated; a broken one exits 1',
  async () => {
    const answer = await caller.screen({ name: 'Tarek Velmorani' });
    const { screening_id: id } = answer.json<{ screening_id: string }>();
    const listed = await run('list', '--decision', 'MATCH_DIRECT_SANCTIONS', '--json');
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.out)).toMatchObject({
      chain: { checked: 1, status: 'verified' },
      screenings: [{ screening_id: id, subject: { name: 'tarek velmorani' } }],
    });
    const text = await run('list');
    expect(text.out).toContain('chain verified; 1 events checked');
    expect((await run('list', '--decision', 'MAYBE')).err).toContain('--decision: ');
    expect((await run('list', '--limit', '0')).code).toBe(2);
    const shown = await run('show', id);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('demo-p-0001')]);
    expect((await run('show', crypto.randomUUID())).code).toBe(3);
    const replayed = await run('replay', id);
    expect([replayed.code, replayed.out]).toEqual([0, expect.stringContaining(': identical')]);
    const chainId = chainOf(tenantId);
    const { audit } = gateway.installation.storage;
    const event = await audit.findByScreening(chainId, id as ScreeningId);
    const { dataDir } = gateway.installation.config;
    alterEvent(dataDir, { chainId, from: '"top_n":', seq: event?.seq ?? 0, to: '"top_m":' });
    const broken = await run('list');
    expect([broken.code, broken.out]).toEqual([1, expect.stringContaining('chain broken: event')]);
    expect((await run('show', id)).err).toContain('hash-mismatch');
  },
);
