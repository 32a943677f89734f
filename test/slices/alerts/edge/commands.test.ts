/** Work on alerts at the command line, over a real installation: hits are screened and decided. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { onScreened } from '#slices/alerts';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { alertPartsOf } from '../../../../src/slices/alerts/edge/parts.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../../api/realGateway.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { hasRedis } from '../../../redis/realRedis.ts';

const WHY = 'Another date and another place of birth';

describe.skipIf(!hasRedis)('alerts at the command line', () => {
  let gateway: RealGateway;
  let caller: Caller;
  let tenantId: TenantId;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox', { 'alerts.four_eyes': 'none' });
    caller = await gateway.caller(tenantId, 'agent_l2');
  });
  afterAll(() => gateway.close());

  async function run(...words: string[]) {
    let [out, err] = ['', ''];
    const streams = {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    };
    const given = ['alert', ...words, '--tenant', tenantId];
    const code = await runCommandLine(
      given,
      streams,
      surroundings({ clock: systemClock, open: opened(gateway.process) }),
    );
    return { code, err, out };
  }

  async function screened() {
    const answer = await caller.screen({ name: 'Tarek Velmorani' });
    const { hits, screening_id } = answer.json<{
      hits: { candidate: { ftm_id: string } }[];
      screening_id: string;
    }>();
    return { ftmId: hits[0]?.candidate.ftm_id ?? '', screeningId: screening_id };
  }

  test('a hit is decided, and its alert closed', async () => {
    const { ftmId, screeningId } = await screened();
    const words = ['decide', screeningId, '--hit', ftmId, '--comment', WHY];
    const vague = await run(...words, '--as', 'false_positive');
    expect(vague).toMatchObject({ code: 4 });
    const odd = await run(...words, '--as', 'no_match');
    expect(odd.err).toContain('--as: expected true_positive, false_positive');
    const said = ['--as', 'false_positive', '--reason', 'dob_differs', '--json'];
    const { code, out } = await run(...words, ...said);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      hit_status: 'false_positive',
      status: 'closed_false_positive',
    });
    const shown = await run('show', (JSON.parse(out) as { alert_id: string }).alert_id, '--json');
    expect(JSON.parse(shown.out)).toMatchObject({ hits_decided: 1, outcome: { by: 'cli:tester' } });
  });

  test('an alert is given to a person and freed; a Critical match is left to two', async () => {
    const { ftmId, screeningId } = await screened();
    const path = `/v1/sanctions/screenings/${screeningId}/hits`;
    const two = await run(
      ...['decide', screeningId, '--hit', ftmId, '--as', 'true_positive', '--comment', 'It is he'],
    );
    expect(two).toMatchObject({ code: 4 });
    expect((await caller.get(path)).json()).toMatchObject({ alert_id: null });
    const ports = alertPartsOf(gateway.process);
    await onScreened(ports, [{ partition: tenantId, payload: { screeningId } }]);
    const { alert_id } = (await caller.get(path)).json<{ alert_id: string }>();
    expect(await run('assign', alert_id)).toMatchObject({ code: 2 });
    expect(await run('assign', alert_id, '--to', 'nobody')).toMatchObject({ code: 4 });
    expect((await run('review', alert_id)).code).toBe(4);
    await caller.post(`/v1/aml/alerts/${alert_id}/assign`, {});
    expect((await run('review', alert_id)).out).toContain('in_review');
    expect((await run('escalate', alert_id, '--comment', 'The same town')).out).toContain(
      'escalated',
    );
    const close = ['--as', 'false_positive', '--reason', 'id_differs', '--comment', WHY];
    expect((await run('close', alert_id, ...close)).out).toContain('closed_false_positive');
  });
});
