/**
 * Tax reporting from a file of accounts to packages for IDES, as one worker does it over the
 * embedded store: accounts taken a second, accounts written and validated a second, megabytes of
 * XML signed, compressed and encrypted a second, and the memory that each takes. A fifth of the
 * accounts are entities with two persons. Rows by number of accounts: a tenth, and all of them.
 *
 * Goals, on two cores: 20,000 accounts taken and 4,000 generated a second, 25 MB packaged a second,
 * 512 MB of memory, and 64 MB more for ten times the accounts. Not a goal: what the authority does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FieldOf, Table, TableRecord, TenantId } from '#core/kernel';
import { Hold } from '#core/work';
import { loadConfig } from '#platform/config';
import { growHeapsSlowly } from '#platform/heapGrowth';
import {
  accountImportTable,
  createDeclaration,
  type FilingPorts,
  fileMessage,
  filingTable,
  findDeclaration,
  findImport,
  generateDeclaration,
  generationTable,
  IRS,
  orderImport,
  type ReportedAccount,
  receiveAccounts,
  saveChannel,
  saveReportingFi,
  submitDeclaration,
  type TaxParty,
  takeAccountFile,
} from '#slices/tax';
import { type OpenInstallation, openInstallation } from '../src/app/installation.ts';
import { openProcess } from '../src/app/process.ts';
import type { SliceProcess } from '../src/slices/processes.ts';
import { taxPortsOf } from '../src/slices/tax/edge/parts.ts';
import { party } from '../test/slices/tax/packageKit.ts';
import { accountOf, FI, GIIN } from '../test/slices/tax/reporting.ts';
import { cleanName } from './names.ts';
import { seededRandom } from './random.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const SUITE = 'tax';
const ACCOUNTS = 100_000;
const SMOKE = 200;
const ENTITY_EVERY = 5;
const TENANT = '0190aaaa-0000-7000-8000-0000000000be' as TenantId;
const ASK = { actor: 'cli:bench', tenantId: TENANT } as const;
const TIMES = { leaseMs: 60_000, renewMs: 5_000 };
const SAMPLE_MS = 20;
const LINES_TOGETHER = 500;

export async function rows({ count, smoke }: BenchOptions): Promise<BenchRow[]> {
  // As a worker's do.
  growHeapsSlowly();
  const all = smoke ? SMOKE : (count ?? ACCOUNTS);
  const folder = await mkdtemp(join(tmpdir(), 'bench-tax-'));
  const config = loadConfig({ DATA_DIR: folder, LOG_LEVEL: 'error' });
  const installation = await openInstallation({
    config,
    onWarning: () => undefined,
    processName: 'bench',
  });
  const opened = openProcess<SliceProcess>(installation, {});
  try {
    const ports = taxPortsOf(opened.process);
    await prepare(ports);
    const run = new Run(ports, installation);
    // The tenth comes first: memory that was taken once is seldom given back.
    const tenth = await run.rows(Math.ceil(all / 10), '2023');
    const whole = await run.rows(all, '2024');
    return [...tenth, ...whole, growthRow(tenth, whole)];
  } finally {
    await opened.close();
    await installation.close();
    await rm(folder, { recursive: true });
  }
}

async function prepare(ports: FilingPorts): Promise<void> {
  await saveReportingFi(ports, { ...ASK, content: FI, giin: GIIN });
  const [own, irs] = [party('bank'), party('irs')];
  await saveChannel(ports, {
    ...ASK,
    answerPems: [irs.certificatePem],
    certificatePem: own.certificatePem,
    giin: GIIN,
    keyPem: own.keyPem,
    place: { kind: 'manual' },
    receiver: { certificatePem: irs.certificatePem, id: IRS },
  });
}

/** What one stage took. */
interface Taken {
  /** Of all threads of the process. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
}

class Run {
  readonly #ports: FilingPorts;
  readonly #leases: Pick<OpenInstallation['storage'], 'tables'> & Pick<OpenInstallation, 'clock'>;

  constructor(ports: FilingPorts, { clock, storage }: OpenInstallation) {
    this.#ports = ports;
    this.#leases = { clock, tables: storage.tables };
  }

  async rows(accounts: number, period: string): Promise<BenchRow[]> {
    const row = (stage: string, unit: string, of: Taken & { readonly done: number }): BenchRow => ({
      data: 'FATCA, a fifth entities with two persons',
      id: `${SUITE}/${stage}-${accounts}`,
      also: { 'a CPU second': of.done / of.cpuSeconds },
      memory_mb: of.peakMb,
      ours: of.done / of.seconds,
      size: `${accounts.toLocaleString('en')} accounts`,
      suite: SUITE,
      unit,
    });
    const taken = await this.#take(accounts, period);
    const { declarationId, ...generated } = await this.#generate(period);
    const packaged = await this.#package(declarationId);
    const { errorsCount, messages } = await this.#find(declarationId);
    const checksum = `${errorsCount} errors, ${messages.length} messages`;
    return [
      row('import', 'accounts/s', { ...taken, done: accounts }),
      { ...row('generate', 'accounts/s', { ...generated, done: accounts }), checksum },
      row('package', 'MB of XML/s', packaged),
    ];
  }

  async #take(accounts: number, period: string): Promise<Taken> {
    const file = await receiveAccounts(this.#ports, linesOf(accounts));
    const { importId } = await orderImport(this.#ports, {
      ...ASK,
      file,
      giin: GIIN,
      mode: 'replace',
      period,
    });
    const key = { importId, tenantId: TENANT };
    const taken = await this.#held(accountImportTable, key, (hold) =>
      takeAccountFile(this.#ports, hold),
    );
    const { accepted, status } = await findImport(this.#ports, key);
    if (accepted !== accounts) throw new Error(`tax/import: ${status}, ${accepted} accepted`);
    return taken;
  }

  async #generate(period: string): Promise<Taken & { readonly declarationId: string }> {
    const { declarationId } = await createDeclaration(this.#ports, {
      ...ASK,
      filerCategory: 'FATCA601',
      giin: GIIN,
      isTest: true,
      period,
      type: 'FATCA1',
    });
    const key = { declarationId, generationNo: 1, tenantId: TENANT };
    const taken = await this.#held(generationTable, key, (hold) =>
      generateDeclaration(this.#ports, hold),
    );
    const { errorsCount, status } = await this.#find(declarationId);
    if (status !== 'generated') throw new Error(`tax/generate: ${status}, ${errorsCount} errors`);
    return { ...taken, declarationId };
  }

  async #package(declarationId: string): Promise<Taken & { readonly done: number }> {
    const { messages } = await submitDeclaration(this.#ports, { ...ASK, declarationId });
    let [cpuSeconds, seconds, peakMb] = [0, 0, 0];
    for (const { messageNo } of messages) {
      const key = { declarationId, messageNo, submissionNo: 1, tenantId: TENANT };
      const one = await this.#held(filingTable, key, (hold) => fileMessage(this.#ports, hold));
      cpuSeconds += one.cpuSeconds;
      seconds += one.seconds;
      peakMb = Math.max(peakMb, one.peakMb);
    }
    const done = messages.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
    return { cpuSeconds, done, peakMb, seconds };
  }

  #find(declarationId: string) {
    return findDeclaration(this.#ports, { declarationId, tenantId: TENANT });
  }

  /** As a worker does that has leased it. */
  async #held<R extends TableRecord, K extends FieldOf<R>>(
    table: Table<R, K>,
    key: Pick<R, K>,
    work: (hold: Hold<R, K>) => Promise<void>,
  ): Promise<Taken> {
    const leased = await this.#leases.tables.claim(table, { holder: 'bench', key });
    if (leased === undefined) throw new Error('tax: an order is free');
    const hold = new Hold(this.#leases, table, leased, { times: TIMES });
    let peak = process.memoryUsage.rss();
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, SAMPLE_MS);
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    try {
      await work(hold);
    } finally {
      clearInterval(sampler);
      await hold.end();
    }
    const { system, user } = process.cpuUsage(cpu);
    const seconds = (performance.now() - begun) / 1e3;
    return { cpuSeconds: (user + system) / 1e6, peakMb: peak / 1e6, seconds };
  }
}

async function* linesOf(accounts: number): AsyncGenerator<Uint8Array> {
  const random = seededRandom(23);
  for (let from = 0; from < accounts; from += LINES_TOGETHER) {
    const lines: string[] = [];
    for (let at = from; at < Math.min(accounts, from + LINES_TOGETHER); at++) {
      lines.push(JSON.stringify(madeAccount(at, cleanName(random))));
    }
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

function madeAccount(at: number, name: string): ReportedAccount {
  const ref = `A-${at}`;
  const [first = 'Ann', last = first] = name.split(' ');
  const person: TaxParty = {
    ...accountOf(ref).holder,
    names: [{ first, last, type: 'OECD202' }],
    tins: [{ country: 'US', value: '219099999' }],
  };
  const balance = { amount: `${at}.50`, currency: 'USD' };
  if (at % ENTITY_EVERY > 0) {
    return accountOf(ref, { balance, fatca: { reportable: true }, holder: person });
  }
  return accountOf(ref, {
    balance,
    controlling_persons: [{ party: person }, { party: person }],
    fatca: { holder_type: 'FATCA102', reportable: true },
    holder: {
      addresses: [{ city: 'Rome', country: 'IT' }],
      kind: 'organisation',
      names: [{ name: `${name} S.p.A.`, type: 'OECD207' }],
      residence_countries: ['IT'],
    },
  });
}

function growthRow(tenth: readonly BenchRow[], whole: readonly BenchRow[]): BenchRow {
  const peakOf = (of: readonly BenchRow[]) =>
    Math.max(...of.map(({ memory_mb: memory = 0 }) => memory));
  return {
    data: 'peak of all stages, all accounts less a tenth of them',
    id: `${SUITE}/memory-growth`,
    memory_mb: peakOf(whole),
    ours: peakOf(whole) - peakOf(tenth),
    size: whole[0]?.size ?? '',
    suite: SUITE,
    unit: 'MB more',
  };
}
