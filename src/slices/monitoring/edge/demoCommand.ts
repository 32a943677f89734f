/**
 * `transactions demo`: invented transactions into a sandbox, with typologies planted in them and
 * payments that meet the list that ships. It waits until the running service has raised an alert.
 */
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { alertTable } from '#slices/alerts';
import {
  GENERATED_DAYS,
  generateTransactions,
  JSON_TRANSACTIONS_MAX,
  jsonTransactions,
  listedPayments,
  PLANTED,
  takeTransactions,
} from '#slices/monitoring';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';
import { settings } from '../settings.ts';
import { partyScreeningOfCommand } from './parts.ts';

const DEFAULTS = { accounts: 100, planted: 1, seed: 1, transactions: 2_000 } as const;
const MAXIMA = { accounts: 50_000, planted: 100, seed: 2 ** 31, transactions: 1_000_000 } as const;
type Figure = keyof typeof DEFAULTS;

/** A body stays within what a request may have. */
const TOGETHER = JSON_TRANSACTIONS_MAX / 2;
/** How long the service has for the first alert. */
const ALERT_MS = 60_000;
const LOOK_EVERY_MS = 500;

export const demoCommand: SliceCommand = {
  words: 'transactions demo',
  summary: 'Take invented transactions with planted typologies into a sandbox',
  options: [
    { name: 'tenant', value: 'ID', required: true, help: 'a sandbox' },
    { name: 'seed', value: 'N', help: `another one for other transactions; ${DEFAULTS.seed}` },
    { name: 'accounts', value: 'N', help: `${DEFAULTS.accounts}` },
    { name: 'transactions', value: 'N', help: `of ordinary life; ${DEFAULTS.transactions}` },
    { name: 'planted', value: 'N', help: `of each typology; ${DEFAULTS.planted}` },
  ],
  example: 'transactions demo --tenant 0190…',
  async run({ actor, clock, open, output }, given) {
    const figure = (name: Figure): number => figureOf(name, given.optional(name));
    const tenantId = given.value('tenant') as TenantId;
    const process = await open();
    const tenant = await process.identity.findTenant(tenantId);
    if (tenant === undefined) throw new DomainError('not-found');
    if (tenant.kind !== 'sandbox') throw new UsageError('--tenant: expected a sandbox');
    const context = (await process.tenants.settings(tenantId)).of(settings);
    const seed = figure('seed');
    const until = new Date(clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const prefix = `DEMO-${seed}-${until}`;
    const generated = generateTransactions({
      accounts: Math.max(figure('accounts'), figure('planted') * PLANTED.length),
      planted: figure('planted'),
      prefix,
      seed,
      transactions: figure('transactions'),
      until,
    });
    const listed = listedPayments({ account: `A-${seed}-0`, prefix, until });
    const ports = {
      ...process,
      screening: partyScreeningOfCommand(process, (text) => output.error(text)),
      tables: process.storage.tables,
    };
    const labels = new Set<string>();
    let [taken, known] = [0, 0];
    for (const transactions of together(each(generated, labels, listed))) {
      const raw = Buffer.from(JSON.stringify({ transactions }));
      const read = jsonTransactions(raw, context);
      const { accepted, duplicates } = await takeTransactions(ports, {
        actor,
        format: 'json_service',
        raw,
        read: read.transactions,
        refusals: read.refusals,
        requestedBy: actor,
        sandbox: true,
        tenantId,
      });
      taken += accepted;
      known += duplicates;
    }
    const isRaised = await hasAlert(process.storage.tables, { clock, tenantId });
    output.result(
      {
        accepted: taken,
        alert_raised: isRaised,
        days: GENERATED_DAYS,
        duplicates: known,
        listed: listed.length,
        planted: [...labels].sort(),
      },
      `${taken} invented transactions taken, ${known} known; ${labels.size} typologies are ` +
        `planted, and ${listed.length} payments meet the list that ships\n${
          isRaised
            ? `alerts are there: alert list --tenant ${tenantId} --status open`
            : 'no alert yet: the service raises them, and does not seem to run'
        }`,
    );
    return isRaised ? EXIT.done : EXIT.refused;
  },
};

/** What is generated, whose labels are noted, and behind it what meets the list. */
function* each(
  generated: ReturnType<typeof generateTransactions>,
  labels: Set<string>,
  listed: ReturnType<typeof listedPayments>,
): Generator<Readonly<Record<string, unknown>>> {
  for (const { label, transaction } of generated) {
    if (label !== undefined) labels.add(label);
    yield transaction;
  }
  yield* listed;
}

/** Whether the tenant has an alert, once it has one or the time is over. */
async function hasAlert(
  tables: Pick<Tables, 'page'>,
  { clock, tenantId }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly tenantId: TenantId },
): Promise<boolean> {
  const until = clock.monotonicMs() + ALERT_MS;
  for (;;) {
    const ask = { equal: { tenantId }, index: 'newest', limit: 1 } as const;
    const { records } = await tables.page(alertTable, ask);
    if (records.length > 0) return true;
    if (clock.monotonicMs() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function figureOf(name: Figure, text: string | undefined): number {
  const value = text === undefined ? DEFAULTS[name] : Number(text);
  if (Number.isSafeInteger(value) && value >= 1 && value <= MAXIMA[name]) return value;
  throw new UsageError(`--${name}: expected 1 to ${MAXIMA[name]}`);
}

function* together<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let some: Item[] = [];
  for (const item of items) {
    some.push(item);
    if (some.length < TOGETHER) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
