/**
 * What one request of each attack costs the gateway's main thread, alone, and for how long it holds
 * the event loop: what all tenants wait for. By the processor time that the system counts for that
 * thread, so that nothing hangs on what else the machine does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS } from './attacks.ts';
import type { Customer } from './cluster.ts';
import type { MixOrder, MixReport } from './hostileMix.ts';
import type { Member } from './member.ts';
import type { Findings } from './row.ts';

/** Of the worst request that is valid. */
const REQUEST_MS_MAX = 20;
/** Several such requests may stand behind one another, and a collection of garbage among them. */
const HELD_MS_MAX = 150;
const RATIO_MAX = 4;
const UPLOADS = { short: 1, whole: 4 };
const ROWS = { short: 20_000, whole: 250_000 };
const NOT_SENT = /^not sent/;
const LOOP_FIGURE = 'nodejs_eventloop_lag_max_seconds';

/** How an order is carried out. */
export type Attacking = (order: MixOrder) => Promise<MixReport>;

export async function eachAlone(of: {
  readonly findings: Findings;
  readonly gateway: Member;
  readonly attack: Attacking;
  readonly order: Omit<MixOrder, 'only'>;
}): Promise<void> {
  const { attack, findings, gateway, order } = of;
  const idle = await costOf(gateway, () => delay(order.seconds * 1_000));
  const idlePerS = idle.cpuMs / idle.seconds;
  // What is uploaded is worked on for a while: nothing is measured beside that.
  const ordered = ATTACKS.toSorted(
    (one, other) => Number(one.isUpload === true) - Number(other.isUpload === true),
  );
  for (const { isUpload = false, name } of ordered) {
    let requests = 0;
    const cost = await costOf(gateway, async () => {
      const report = await attack({ ...order, only: name });
      for (const [what, count] of Object.entries(report[name] ?? {})) {
        if (!NOT_SENT.test(what)) requests += count;
      }
    });
    const each = Math.max(0, cost.cpuMs - idlePerS * cost.seconds) / Math.max(1, requests);
    const held = `the event loop held ${cost.heldMs.toFixed(0)} ms at most`;
    const told = `${each.toFixed(1)} ms a request of ${requests}; ${held}`;
    const isCheap = isUpload || each <= REQUEST_MS_MAX;
    findings.judgeSpeed(
      `${name}, alone: main thread`,
      told,
      requests > 0 && isCheap && cost.heldMs <= HELD_MS_MAX,
    );
  }
}

/** Processor milliseconds of the main thread, and the longest that the loop was held. */
async function costOf(gateway: Member, work: () => Promise<unknown>) {
  await gateway.figure(LOOP_FIGURE); // begins anew with each look
  const [cpu, startedMs] = [gateway.mainThreadSeconds(), performance.now()];
  await work();
  const heldMs = ((await gateway.figure(LOOP_FIGURE)) ?? Number.NaN) * 1e3;
  const cpuMs = (gateway.mainThreadSeconds() - cpu) * 1e3;
  return { cpuMs, heldMs, seconds: (performance.now() - startedMs) / 1e3 };
}

const HEAD = 'external_id,full_name\n';

function goodFile(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, at) => `c-${at},Anna Maria Berg ${at}\n`);
  return Buffer.from(HEAD + lines.join(''));
}

/** Of the same length. */
function quotesFile({ length }: Buffer): Buffer {
  return Buffer.from(HEAD + '"\n'.repeat((length - HEAD.length) / 2));
}

/** A file that no row can be read of, beside one of customers of the same length. */
export async function quotesAndCustomers(of: {
  readonly findings: Findings;
  readonly gateway: Member;
  readonly customer: Customer;
  readonly isShort: boolean;
}): Promise<void> {
  const size = of.isShort ? 'short' : 'whole';
  const good = goodFile(ROWS[size]);
  const cost = async (file: Buffer): Promise<number> => {
    let cpuMs = 0;
    for (let count = 0; count < UPLOADS[size]; count += 1) {
      let id: string | undefined;
      const upload = async () => {
        id = await uploaded(of, file);
      };
      cpuMs += (await costOf(of.gateway, upload)).cpuMs;
      if (id !== undefined) await cancel(of, id);
    }
    return cpuMs / UPLOADS[size];
  };
  const [customers, quotes] = [await cost(good), await cost(quotesFile(good))];
  const ratio = quotes / Math.max(1, customers);
  const bytes = `${(good.length / 1e6).toFixed(1)} MB`;
  of.findings.judgeSpeed(
    `a CSV of quotes costs the main thread at most ${RATIO_MAX} times one of customers`,
    `${quotes.toFixed(0)} and ${customers.toFixed(0)} ms for ${bytes}: ${ratio.toFixed(1)} times`,
    ratio <= RATIO_MAX,
  );
}

interface ByCustomer {
  readonly gateway: Member;
  readonly customer: Customer;
}

const headersOf = ({ customer }: ByCustomer) => ({
  'idempotency-key': crypto.randomUUID(),
  'x-api-key': customer.apiKey,
});

/** The batch that came of it; undefined where it was refused, as a file without rows may be. */
async function uploaded(of: ByCustomer, file: Buffer): Promise<string | undefined> {
  const form = new FormData();
  form.set('name', 'cost');
  form.set('file', new Blob([file as Uint8Array<ArrayBuffer>]), 'cost.csv');
  const answer = await fetch(`${of.gateway.origin}/v1/aml/batches/csv`, {
    body: form,
    headers: headersOf(of),
    method: 'POST',
  });
  const { batch_id } = (await answer.json()) as { readonly batch_id?: string };
  return answer.status === 202 ? batch_id : undefined;
}

async function cancel(of: ByCustomer, id: string): Promise<void> {
  await fetch(`${of.gateway.origin}/v1/aml/batches/${id}/cancel`, {
    headers: headersOf(of),
    method: 'POST',
  }).then((answer) => answer.arrayBuffer());
}
