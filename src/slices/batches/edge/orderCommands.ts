/**
 * `batch submit`, `batch status`, `batch list`, `batch cancel`: a bank's whole customer base,
 * without an HTTP client. They write into the store what the gateway would; workers find it there.
 */
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '#core/identity';
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  BATCH_MODES,
  BATCH_NAME_CHARS_MAX,
  BATCH_STATUSES,
  type Batch,
  type BatchMode,
  batchQueue,
  batchStore,
  presentBatch,
  presentCreated,
  progressPct,
} from '#slices/batches';
import { EXIT, type ExitCode, type Given, UsageError } from '../../../cli/command.ts';
import { openInput } from '../../../cli/files.ts';
import { aligned } from '../../../cli/help.ts';
import { printable, table } from '../../../cli/output.ts';
import type { CliContext } from '../../../cli/ports.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { webhookDelivered } from '../asks.ts';
import { type BatchDesk, batchDeskOf } from './batchDesk.ts';
import { ANY_TENANT, BATCH, findBatch } from './namedBatch.ts';
import { spanOf, watchBatch } from './watchBatch.ts';

const TENANT = {
  help: 'whose batch it is; needed where there are several tenants',
  name: 'tenant',
  value: 'ID',
};
const LISTED_DEFAULT = 20;
const LISTED_MAX = 1_000;
/** Characters of a name in a list. */
const LISTED_NAME_CHARS = 40;

export const batchOrderCommands: readonly SliceCommand[] = [
  {
    words: 'batch submit',
    summary: 'Have the subjects of a CSV screened by the running workers',
    positionals: [{ help: 'CSV in UTF-8 with a header, plain or gzip', name: 'FILE' }],
    options: [
      { help: 'for example OFAC,UN; else all that are in force', name: 'lists', value: 'A,B' },
      { help: "a label; else the file's name without its ending", name: 'name', value: 'N' },
      { help: `${BATCH_MODES.join(', ')} (default full)`, name: 'mode', value: 'M' },
      { help: 'of mode delta: what changed since, RFC 3339 UTC', name: 'since', value: 'TIME' },
      { help: 'seek no hits of type pep', name: 'no-pep' },
      { help: 'seek no hits of type adverse_media', name: 'no-adverse-media' },
      { help: 'watch its subjects from then on, with every list that changes', name: 'monitor' },
      TENANT,
      { help: 'until it has ended: exit 0, or 1 where it failed or was canceled', name: 'wait' },
    ],
    example: 'batch submit customers.csv.gz --lists OFAC,UN --name weekly --wait',
    async run(context, given) {
      const order = orderOf(given, context.clock.now());
      const path = given.positionals[0] ?? '';
      const { bytes, chunks } = await openInput(path);
      const installation = await context.open();
      const tenant = await tenantOf(installation, given.optional('tenant'));
      const shown = seen(chunks, (read) =>
        context.output.progress({ label: 'submit', share: read / Math.max(1, bytes) }),
      );
      const file = { chunks: shown, name: basename(path) };
      const batch = await batchDeskOf(installation).submit({
        actor: context.actor,
        file,
        order,
        tenant,
      });
      if (given.isSet('wait')) return waitFor(context, installation, batch);
      const queue = await batchQueue(batchStore(installation.storage.tables), batch);
      const now = context.clock.now();
      context.output.result(
        { ...presentCreated(batch, { now, queue }), tenant_id: tenant.id },
        `${batch.batchId}\n${batch.subjectsTotal} subjects are queued; see batch status --batch`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'batch status',
    summary: 'Show a batch: how far it is, what it found, when it will be done',
    options: [BATCH, ANY_TENANT],
    example: 'batch status --batch 0190… --json',
    async run({ clock, open, output }, given) {
      const installation = await open();
      const batch = await findBatch(installation, given);
      output.result(...(await shownStatus(installation, batch, clock.now())));
      return EXIT.done;
    },
  },
  {
    words: 'batch list',
    summary: 'List batches, latest first',
    options: [
      TENANT,
      { help: BATCH_STATUSES.join(', '), name: 'status', value: 'S' },
      { help: `1..${LISTED_MAX} (default ${LISTED_DEFAULT})`, name: 'limit', value: 'N' },
    ],
    example: 'batch list --status running',
    async run({ open, output }, given) {
      const status = BATCH_STATUSES.find((one) => one === given.optional('status'));
      if (given.isSet('status') && status === undefined) {
        throw new UsageError(`--status: expected ${BATCH_STATUSES.join(', ')}`);
      }
      const limit = limitOf(given.optional('limit'));
      const installation = await open();
      const { id } = await tenantOf(installation, given.optional('tenant'));
      const ask = { limit, tenantId: id, ...(status !== undefined && { status }) };
      const found = await batchStore(installation.storage.tables).listBatches(ask);
      output.result(
        { batches: found.map(summaryOf) },
        table(
          ['BATCH', 'NAME', 'MODE', 'STATUS', '%', 'SUBJECTS', 'HITS', 'REQUESTED'],
          found.map(rowOf),
        ),
      );
      return EXIT.done;
    },
  },
  {
    words: 'batch cancel',
    summary: 'Cancel a batch that is queued or running; what it found stays',
    options: [BATCH, ANY_TENANT],
    example: 'batch cancel --batch 0190…',
    async run({ actor, open, output }, given) {
      const installation = await open();
      const { batchId, tenantId } = await findBatch(installation, given);
      const batch = await batchDeskOf(installation).cancel({ actor, batchId, tenantId });
      const { counts, subjectsTotal } = batch;
      output.result(
        summaryOf(batch),
        `canceled after ${counts.subjects} of ${subjectsTotal} subjects`,
      );
      return EXIT.done;
    },
  },
];

type Order = Parameters<BatchDesk['submit']>[0]['order'];

function orderOf(given: Given, now: EpochMs): Order {
  const mode: BatchMode | undefined = BATCH_MODES.find(
    (one) => one === (given.optional('mode') ?? 'full'),
  );
  if (mode === undefined) throw new UsageError(`--mode: expected ${BATCH_MODES.join(', ')}`);
  const since = sinceOf(given.optional('since'), mode, now);
  const lists = given.optional('lists')?.split(',') ?? [];
  if (lists.some((code) => code.trim() === '')) {
    throw new UsageError('--lists: expected codes, separated by commas');
  }
  return {
    includeAdverseMedia: !given.isSet('no-adverse-media'),
    includePep: !given.isSet('no-pep'),
    lists: lists.map((code) => code.trim()),
    mode,
    name: nameOf(given),
    ...(since !== undefined && { since }),
    ...(given.isSet('monitor') && { monitor: true as const }),
  };
}

function nameOf(given: Given): string {
  const fileName = basename(given.positionals[0] ?? '').replace(/(\.csv)?(\.gz)?$/i, '');
  const name = (given.optional('name') ?? fileName).trim();
  if (name !== '' && name.length <= BATCH_NAME_CHARS_MAX && printable(name) === name) return name;
  throw new UsageError(`--name: expected 1..${BATCH_NAME_CHARS_MAX} readable characters`);
}

function sinceOf(text: string | undefined, mode: BatchMode, now: EpochMs): EpochMs | undefined {
  if (text === undefined) return undefined;
  if (mode !== 'delta') throw new UsageError('--since: expected with --mode delta alone');
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (at <= now) return at as EpochMs;
  throw new UsageError('--since: expected a time that has passed, as 2026-11-01T00:00:00Z');
}

function limitOf(text = String(LISTED_DEFAULT)): number {
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LISTED_MAX) return limit;
  throw new UsageError(`--limit: expected 1..${LISTED_MAX}`);
}

async function tenantOf(
  { tenants }: Pick<CliProcess, 'tenants'>,
  id: string | undefined,
): Promise<Tenant> {
  const all = await tenants.list();
  if (id === undefined) {
    const [only, another] = all;
    if (only !== undefined && another === undefined) return only;
    throw new UsageError(`--tenant ID is missing: there are ${all.length} tenants`);
  }
  const found = all.find((tenant) => tenant.id === id);
  if (found) return found;
  throw new DomainError('not-found', { detail: 'no such tenant' });
}

async function waitFor(
  { clock, output }: CliContext<CliProcess>,
  installation: CliProcess,
  { batchId, tenantId }: Batch,
): Promise<ExitCode> {
  output.note(`${batchId}: it goes on if you stop waiting`);
  const batches = batchStore(installation.storage.tables);
  const onProgress = output.progress;
  const ports = { batches, clock, onProgress, sleep: (ms: number) => delay(ms) };
  const watched = await watchBatch(ports, { batchId, tenantId });
  if (watched === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
  output.result(...(await shownStatus(installation, watched.batch, clock.now())));
  if (watched.is === 'ended') return watched.batch.status === 'completed' ? EXIT.done : EXIT.bad;
  const { idleMs } = watched;
  output.error(
    `no worker was seen to work for ${spanOf(idleMs)}: the batch waits in the store, and goes on ` +
      'once the service runs (npm start)',
  );
  return EXIT.unavailable;
}

async function shownStatus(
  process: CliProcess,
  batch: Batch,
  now: EpochMs,
): Promise<[object, string]> {
  const { tables } = process.storage;
  const isWebhookDelivered = await process.ask(webhookDelivered)(batch);
  const queue = await batchQueue(batchStore(tables), batch);
  const shown = presentBatch(batch, { isWebhookDelivered, now, queue });
  const { counts, failure } = batch;
  const rows: [string, string][] = [
    ['batch', batch.batchId],
    ['name', printable(batch.name)],
    ['mode', batch.mode],
    ['lists', batch.lists.length === 0 ? 'all in force' : batch.lists.join(', ')],
    ['status', `${batch.status}${failure ? `: ${failure.code}, ${failure.detail}` : ''}`],
    ['progress', `${progressPct(batch)} %, ${counts.subjects} of ${batch.subjectsTotal} subjects`],
    ['rejected rows', String(batch.rejectedTotal)],
    ['subjects with hits', String(counts.subjectsWithHits)],
    ['hits', String(counts.hits)],
    ...Object.entries(counts.byDecision).map(([decision, count]): [string, string] => [
      decision,
      String(count),
    ]),
    ['requested', toTimestamp(batch.requestedAt)],
    ['estimated completion', shown.estimated_completion ?? '–'],
  ];
  return [shown, aligned(rows).join('\n')];
}

const summaryOf = (batch: Batch) => ({
  batch_id: batch.batchId,
  tenant_id: batch.tenantId,
  name: batch.name,
  mode: batch.mode,
  status: batch.status,
  progress_pct: progressPct(batch),
  subjects_total: batch.subjectsTotal,
  subjects_processed: batch.counts.subjects,
  hits_total: batch.counts.hits,
  requested_at: toTimestamp(batch.requestedAt),
});

const rowOf = (batch: Batch): string[] => [
  batch.batchId,
  shortened(batch.name),
  batch.mode,
  batch.status,
  String(progressPct(batch)),
  String(batch.subjectsTotal),
  String(batch.counts.hits),
  toTimestamp(batch.requestedAt),
];

/** One long name would push the other columns off the screen; `batch status` has all of it. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LISTED_NAME_CHARS) return name;
  return `${characters.slice(0, LISTED_NAME_CHARS - 1).join('')}…`;
}

async function* seen(
  chunks: AsyncIterable<Uint8Array>,
  see: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    see(bytes);
    yield chunk;
  }
}
