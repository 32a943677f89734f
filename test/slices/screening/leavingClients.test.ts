/** Clients that go away before the engine has begun: their queries never begin. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemRandom } from '#platform/random';
import { type CandidateEngine, screeningSettings, screenQuery } from '#slices/screening';
import { createHttpServer, type HttpServer } from '../../../src/api/http/index.ts';
import { sharedMonotonicMs } from '../../../src/engine/deadline.ts';
import { screeningOperations } from '../../../src/slices/screening/edge/screenings.ts';
import { fixedClock, gatewayOf, PRINCIPAL } from '../../api/fakes.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { settings } from '../../core/identity/memory.ts';
import { type GatedPool, gatedPool } from '../../engine/gatedPool.ts';

const SETTINGS = settings.defaults.of(screeningSettings);
const ROLES = ['compliance_officer'] as const;

/** An engine over the pool, which notes what it is asked and what becomes of it. */
function engineOver({ pool }: GatedPool) {
  const asked: string[] = [];
  const refused: unknown[] = [];
  const engine: CandidateEngine<object> = {
    screen: async ({ deadlineMs, query, settings: scorer, signal, turn = '' }) => {
      asked.push(turn);
      const expiresAt = sharedMonotonicMs() + deadlineMs;
      const task = { expiresAt, indexes: [1], query, settings: scorer };
      const answer = pool.run({ signal, task, turn }, (compared) => compared);
      answer.catch((error: { code?: string }) => refused.push(error.code));
      return { candidates: [], query: await answer, truncated: false };
    },
  };
  return { asked, engine, refused };
}

describe.each(TECHNOLOGIES)('over %s', (technology) => {
  let server: HttpServer | undefined;
  let gated: GatedPool | undefined;
  afterEach(async () => {
    gated?.open();
    await server?.close(1_000);
    await gated?.pool.close();
  });

  test('a query whose client left is dropped, and the next one is served', async () => {
    gated = gatedPool();
    const { asked, engine, refused } = engineOver(gated);
    const ports = { clock: fixedClock, deadlineMs: 60_000, engine, random: systemRandom };
    const gateway = gatewayOf(
      screeningOperations({
        audit: undefined as never,
        clock: fixedClock,
        explain: undefined as never,
        factsOf: undefined as never,
        screen: async ({ query, requestedBy, signal, tenantId }) => {
          const listSet = { listVersion: '', references: [] };
          const of = { lists: [], listSet, namePointer: '/name', requestedBy };
          const ask = { ...of, query, settings: SETTINGS, signal, tenantId };
          return JSON.stringify((await screenQuery(ports, ask)).query);
        },
        settingsOf: async () => SETTINGS,
        signed: undefined as never,
      }),
      { authenticator: { authenticate: async () => ({ ...PRINCIPAL, roles: ROLES }) } },
    );
    server = createHttpServer(technology, {
      bodyIdleTimeoutMs: 10_000,
      handler: gateway.handler,
      headersBytesMax: 16_384,
      headersTimeoutMs: 10_000,
      keepAliveTimeoutMs: 5_000,
      refusal: gateway.refusal,
    });
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    const screen = async (name: string, signal?: AbortSignal) => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/sanctions/screen`, {
        body: JSON.stringify({ name }),
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
        method: 'POST',
        ...(signal && { signal }),
      });
      return [answer.status, await answer.text()];
    };

    const first = screen('first');
    await gated.untilBegun(1);
    const leaving = new AbortController();
    const left = screen('left', leaving.signal);
    await vi.waitFor(() => expect(asked).toEqual([PRINCIPAL.tenantId, PRINCIPAL.tenantId]));
    leaving.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await vi.waitFor(() => expect(refused).toEqual(['caller-gone']));
    const next = screen('next');
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    gated.open();
    const namesOf = (name: string) => JSON.stringify({ names: [name], variants: [] });
    expect(await Promise.all([first, next])).toEqual([
      [200, namesOf('first')],
      [200, namesOf('next')],
    ]);
    expect(gated.begun()).toBe(2);
    expect(gateway.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
