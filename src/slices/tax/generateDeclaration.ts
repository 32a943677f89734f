/**
 * A worker generates a declaration: the accounts of its book go through writer, schema and rules
 * into sealed blobs, some hundreds in memory at a time. Only at the end is it known that the book
 * is what was signed, and only then is anything of it kept.
 */
import { type EventDraft, entry } from '#core/audit';
import {
  type DataKey,
  type FilePuts,
  openFile,
  openSealed,
  putSealed,
  sealedPuts,
} from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import type { Hold } from '#core/work';
import { toTimestamp } from '#platform/clock';
import { type ReportedAccount, reportabilityOf } from './account.ts';
import { bookDigest, findBook } from './accountBooks.ts';
import { requireFree } from './accountFiles.ts';
import { declarationEntry, declarationKey, findDeclaration, steppedOn } from './declarations.ts';
import { PoolTotals } from './poolTotals.ts';
import type { TaxPorts } from './ports.ts';
import { accountFor } from './reportedPersons.ts';
import { findReportingFi } from './reportingFi.ts';
import type { ReportingFiContent } from './reportingFiContent.ts';
import { AccountFeed, messageBytes, ReportFindings, recordId } from './reportMessages.ts';
import type { ReportFinding } from './reportRules.ts';
import { schemaValidator } from './reportSchemas.ts';
import type { ReportHead } from './reportXml.ts';
import {
  type AccountBook,
  type DeclarationGeneration,
  type DeclarationMessage,
  declarationTable,
  generationTable,
  type TaxDeclaration,
} from './tables.ts';
import { walkAccounts } from './walkAccounts.ts';

const XML_LABEL = 'tax-declaration-xml';
const FINDINGS_LABEL = 'tax-declaration-findings';
const SECOND_CHARS = 19;

/** An order that a worker has. */
export type GenerationHold = Pick<
  Hold<DeclarationGeneration, 'tenantId' | 'declarationId' | 'generationNo'>,
  'expected' | 'record' | 'signal'
>;

/** What a generation gave. */
interface Generated {
  readonly messages: readonly DeclarationMessage[];
  readonly findings: ReportFindings;
  readonly pools: number;
  readonly accounts: number;
  readonly accountsDigest?: string;
}

/** Ends in one commit. Rejects with `import-running`, `state-conflict`, `state-altered`. */
export async function generateDeclaration(ports: TaxPorts, hold: GenerationHold): Promise<void> {
  const before = await findDeclaration(ports, hold.record);
  if (!isAwaited(before, hold)) return endOrder(ports, hold, undefined);
  const { content: fi } = await findReportingFi(ports, before);
  const book = await findBook(ports, before);
  requireFree(book);
  const key = await ports.dataKeys.find(declarationKey(before));
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'its key is gone' });
  const generated = await writeMessages(ports, { before, book, fi, key, signal: hold.signal });
  await endOrder(ports, hold, await nextOf(ports, before, { generated, key }));
}

/** Whether no later order, and no end of the declaration, has taken the place of this order. */
const isAwaited = (
  { generations, status }: TaxDeclaration,
  { record }: Pick<GenerationHold, 'record'>,
): boolean => generations === record.generationNo && (status === 'draft' || status === 'generated');

/** It cannot be generated as things are: the draft says why. */
export async function failGeneration(
  ports: TaxPorts,
  hold: GenerationHold,
  code: string,
): Promise<void> {
  const before = await findDeclaration(ports, hold.record);
  if (!isAwaited(before, hold)) return endOrder(ports, hold, undefined);
  const key = await ports.dataKeys.find(declarationKey(before));
  if (key === undefined) return endOrder(ports, hold, undefined);
  const findings = new ReportFindings();
  const detail = 'the generation has failed: the log of the worker says why';
  findings.add({ code, detail, pointer: '', severity: 'error' });
  const generated = { accounts: 0, findings, messages: [], pools: 0 };
  await endOrder(ports, hold, await nextOf(ports, before, { generated, key }));
}

interface WriteAsk {
  readonly before: TaxDeclaration;
  readonly book: AccountBook | undefined;
  readonly fi: ReportingFiContent;
  readonly key: DataKey;
  readonly signal: AbortSignal;
}

async function writeMessages(ports: TaxPorts, ask: WriteAsk): Promise<Generated> {
  const { before, book, fi, key, signal } = ask;
  const findings = new ReportFindings();
  const pools = new PoolTotals(fi.iga_model);
  const counted: Counted = { accounts: 0, unclassified: 0 };
  const feed = new AccountFeed(reported(ports, ask, pools, counted));
  const puts: FilePuts = sealedPuts(ports, { label: XML_LABEL, secret: key.secret });
  const validator = await schemaValidator(before.schema);
  const messages: DeclarationMessage[] = [];
  const context = {
    igaModel: fi.iga_model,
    isExchange: fi.profile === 'oecd-exchange',
    period: before.period,
    receivingCountry: before.receivingCountry,
    schema: before.schema,
  };
  do {
    signal.throwIfAborted();
    const messageNo = messages.length + 1;
    const head = headOf(ports, ask, messageNo);
    let records = 0;
    const onRecords = (written: number) => {
      records = written;
    };
    const parts = { context, feed, findings, head, pools: () => pools.all, validator };
    const put = await puts.put(messageBytes({ ...parts, onRecords }));
    messages.push({
      blob: put.sealedBlob ?? put.address,
      bytes: put.bytes,
      messageNo,
      messageRefId: head.messageRefId,
      records,
      sha256: put.address,
    });
  } while (!before.nilReport && (await feed.hasMore()));
  // The book is known to be what was signed only once all of it was read.
  while ((await feed.take(Number.MAX_SAFE_INTEGER)).length > 0) signal.throwIfAborted();
  for (const finding of [...pools.findings, ...countFindings(before, counted, pools)]) {
    findings.add(finding);
  }
  return {
    accounts: counted.accounts,
    findings,
    messages,
    pools: pools.all.length,
    ...(book !== undefined && { accountsDigest: bookDigest(book) }),
  };
}

interface Counted {
  accounts: number;
  /** Accounts of which it is unknown what they are under this regime: they are in no report. */
  unclassified: number;
}

/** Accounts that go into this report; those of pools are added up beside them. */
async function* reported(
  ports: TaxPorts,
  { before, book, fi }: WriteAsk,
  pools: PoolTotals,
  counted: Counted,
): AsyncGenerator<readonly ReportedAccount[]> {
  if (book === undefined) return;
  const { receivingCountry, regime } = before;
  const isExchange = regime === 'CRS' && fi.profile === 'oecd-exchange';
  const receiver = { isExchange, receivingCountry, regime };
  for await (const held of walkAccounts(ports, book)) {
    const some = held
      .map(({ account }) => account)
      .filter((account) => {
        if (account[regime === 'FATCA' ? 'fatca' : 'crs'] === undefined) counted.unclassified += 1;
        if (!reportabilityOf(account, regime).reportable) return false;
        if (before.regime === 'FATCA') return !pools.add(account);
        const where = account.crs?.reportable_jurisdictions ?? [];
        return !isExchange || where.includes(before.receivingCountry);
      });
    counted.accounts += some.length;
    yield some.map((account) => accountFor(account, receiver));
  }
}

function countFindings(
  declaration: TaxDeclaration,
  counted: Readonly<Counted>,
  pools: PoolTotals,
): readonly ReportFinding[] {
  return [
    ...unclassifiedFindings(declaration, counted),
    ...emptyFindings(declaration, counted, pools),
  ];
}

/** A nil report states that there is nothing to report: of these accounts nobody knows it. */
function unclassifiedFindings(
  { nilReport, regime }: TaxDeclaration,
  { unclassified }: Readonly<Counted>,
): readonly ReportFinding[] {
  if (unclassified === 0) return [];
  const code = `${regime.toLowerCase()}-unclassified`;
  const detail = `expected every account to be classified, got ${unclassified} that are not`;
  return [{ code, detail, pointer: '', severity: nilReport ? 'error' : 'warning' }];
}

function emptyFindings(
  { nilReport, regime }: TaxDeclaration,
  { accounts }: Readonly<Counted>,
  pools: PoolTotals,
): readonly ReportFinding[] {
  const isEmpty = accounts === 0 && pools.all.length === 0;
  if (nilReport && !isEmpty) {
    const code = `${regime.toLowerCase()}-nil`;
    const detail = 'expected no account to report: this is a nil report';
    return [{ code, detail, pointer: '/nil_report', severity: 'error' }];
  }
  if (nilReport || !isEmpty) return [];
  const detail = 'expected an account to report; without one, make a nil report';
  return [{ code: 'no-reportable-accounts', detail, pointer: '/nil_report', severity: 'error' }];
}

function headOf(
  { clock }: Pick<TaxPorts, 'clock'>,
  { before, fi }: WriteAsk,
  messageNo: number,
): ReportHead {
  const { declarationId, generations, giin, period, receivingCountry, regime } = before;
  const id = (what: string): string =>
    recordId(declarationId, generations, what === 'fi' ? `fi:${messageNo}` : what);
  const isFatca = regime === 'FATCA';
  const ofMessage = id(`message:${messageNo}`);
  return {
    docRefId: (what) =>
      isFatca ? `${giin}.${id(what)}` : `${before.transmittingCountry}${period}${id(what)}`,
    fi,
    giin,
    isNil: before.nilReport,
    isTest: before.isTest,
    messageRefId: isFatca
      ? `${giin}.${period}.${ofMessage}`
      : `${before.transmittingCountry}${period}${receivingCountry}${ofMessage}`,
    period,
    receivingCountry,
    schema: before.schema,
    timestamp: toTimestamp(clock.now()).slice(0, SECOND_CHARS),
    ...(before.filerCategory !== undefined && { filerCategory: before.filerCategory }),
  };
}

async function nextOf(
  ports: TaxPorts,
  before: TaxDeclaration,
  { generated, key }: { readonly generated: Generated; readonly key: DataKey },
): Promise<{ readonly before: TaxDeclaration; readonly next: TaxDeclaration }> {
  const { findings } = generated;
  const isValid = findings.errors === 0;
  const { accountsDigest: _, findingsBlob: __, generatedAt: ___, ...kept } = before;
  const of: TaxDeclaration = {
    ...kept,
    accountCount: generated.accounts,
    errorsCount: findings.errors,
    messages: isValid ? generated.messages : [],
    poolCount: generated.pools,
    status: isValid ? 'generated' : 'draft',
    warningsCount: findings.warnings,
    ...(generated.accountsDigest !== undefined && { accountsDigest: generated.accountsDigest }),
    ...(isValid && { generatedAt: ports.clock.now() }),
    ...(findings.kept.length > 0 && {
      findingsBlob: await putSealed(ports, Buffer.from(JSON.stringify(findings.kept)), {
        label: FINDINGS_LABEL,
        secret: key.secret,
      }),
    }),
  };
  const cause = isValid ? 'generated' : 'findings';
  return { before, next: steppedOn(ports, before, { by: 'system:tax', cause, of }) };
}

async function endOrder(
  ports: TaxPorts,
  { expected, record }: GenerationHold,
  of: { readonly before: TaxDeclaration; readonly next: TaxDeclaration } | undefined,
): Promise<void> {
  const { declarationId, tenantId, version } = record;
  const ended: DeclarationGeneration = { ...record, status: 'ended', version: version + 1 };
  const isNew = of?.before.status === 'draft' && of.next.status === 'generated';
  await ports.commit(chainOf(tenantId), {
    bus: isNew
      ? [
          {
            partition: tenantId,
            payload: { declaration_id: declarationId, schema: 'tcr.declaration.generated.v1' },
            topic: 'tcr.declaration.generated',
          },
        ]
      : [],
    changes: [
      expected,
      generationTable.put(ended, version),
      ...(of === undefined ? [] : [declarationTable.put(of.next, of.before.version)]),
    ],
    events:
      of === undefined
        ? [droppedEntry(ports, record)]
        : [
            declarationEntry(
              ports,
              { actor: 'system:tax' },
              { action: 'tcr.declaration.generated', record: of.next },
            ),
          ],
  });
}

/** Its target is the order: it says nothing of what the declaration is. */
const droppedEntry = (
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { declarationId, generationNo }: DeclarationGeneration,
): EventDraft =>
  entry(ports, {
    action: 'tcr.declaration.generation_dropped',
    actor: 'system:tax',
    at: ports.clock.now(),
    members: { generation_no: generationNo },
    target: `tax-generation:${declarationId}/${generationNo}`,
  });

/** Findings of the latest generation. */
export async function readFindings(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  declaration: TaxDeclaration,
): Promise<readonly ReportFinding[]> {
  if (declaration.findingsBlob === undefined) return [];
  const [key, bytes] = await Promise.all([
    dataKeys.find(declarationKey(declaration)),
    blobs.get(declaration.findingsBlob),
  ]);
  if (key === undefined || bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'the findings are gone' });
  }
  const plain = await openSealed(bytes, { label: FINDINGS_LABEL, secret: key.secret });
  return JSON.parse(plain.toString()) as readonly ReportFinding[];
}

/** The XML of a message as it comes; it is known to be whole once all was read. */
export async function openMessage(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  declaration: TaxDeclaration,
  { blob, bytes, sha256 }: DeclarationMessage,
): Promise<AsyncIterable<Uint8Array>> {
  const key = await dataKeys.find(declarationKey(declaration));
  const stored = key && {
    address: sha256,
    bytes,
    sealed: { blob, keyId: key.keyId, keyVersion: key.version },
  };
  const under = key && { label: XML_LABEL, secret: key.secret };
  const pieces = stored && (await openFile(blobs, stored, under));
  if (pieces === undefined) throw new DomainError('blob-damaged', { detail: 'the XML is gone' });
  return pieces;
}
