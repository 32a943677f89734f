/**
 * `batch report`, `batch proof` and `batch verify`: the files of a batch, the proof of one subject,
 * and the verification of all of them with the public keys. The last needs no installation, no
 * network and no configuration.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type BatchId, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { isPdf } from '#platform/pdfAttachment';
import {
  attestationOf,
  type Batch,
  batchStore,
  openBatchFile,
  proveSubject,
  type StoredFile,
  signedResults,
  withCurrentFiles,
} from '#slices/batches';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { openInput, readDocument, readSmallFile, writeWhole } from '../../../cli/files.ts';
import { readKeys } from '../../../cli/keysDocument.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { renderAttestation } from '../asks.ts';
import { anchorsIn } from './chainAnchors.ts';
import { verifyBatchFile } from './verifyFile.ts';

const FORMATS = ['csv', 'xlsx', 'pdf', 'rejected', 'attestation'] as const;
type Format = (typeof FORMATS)[number];

const BATCH = { help: 'the batch_id of the answer', name: 'batch', required: true, value: 'ID' };
const TENANT = {
  help: 'of this tenant; else it is looked for in all',
  name: 'tenant',
  value: 'ID',
};

export const batchFileCommands: readonly SliceCommand[] = [
  {
    words: 'batch report',
    summary:
      'Write a report of a completed batch to a file; beside a PDF its signature as FILE.sig',
    options: [
      BATCH,
      { help: FORMATS.join(', '), name: 'format', required: true, value: 'F' },
      { help: 'replaced if it is there', name: 'out', required: true, value: 'FILE' },
      TENANT,
    ],
    example: 'batch report --batch 0190… --format pdf --out attestation.pdf',
    async run({ open, output }, given) {
      const format = FORMATS.find((one) => one === given.value('format'));
      if (format === undefined) throw new UsageError(`--format: expected ${FORMATS.join(', ')}`);
      const installation = await open();
      const batch = await completedBatch(installation, given);
      const out = given.value('out');
      const file = fileOf(batch, format);
      await attestationOf({ ...installation, audit: installation.storage.audit }, batch);
      const content = await openBatchFile(installation, batch, { file, name: format });
      const bytes = await writeWhole(out, content);
      if (format === 'pdf') await writeWhole(`${out}.sig`, once(`${batch.reports.pdfSignature}\n`));
      output.result(
        { batch_id: batch.batchId, bytes, file: out, format, sha256: file.address },
        `${out}: ${bytes} bytes\nsha256 ${file.address}`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'batch proof',
    summary: "Cut one subject's result out of a completed batch, with its proof",
    options: [
      BATCH,
      { help: 'the external_id of the subject', name: 'subject', required: true, value: 'ID' },
      { help: 'JSON; replaced if it is there', name: 'out', required: true, value: 'FILE' },
      TENANT,
    ],
    example: 'batch proof --batch 0190… --subject C-1017 --out proof.json',
    async run({ open, output }, given) {
      const installation = await open();
      const batch = await completedBatch(installation, given);
      const { blobs, dataKeys, keyRing, storage } = installation;
      const { audit, tables } = storage;
      const results = signedResults({ audit, blobs, dataKeys, keyRing });
      const ports = { audit, batches: batchStore(tables), blobs, dataKeys, keyRing, results };
      const proof = await proveSubject(ports, batch, {
        externalId: given.value('subject'),
      });
      const out = given.value('out');
      const bytes = await writeWhole(out, once(`${canonicalJson(proof)}\n`));
      const { chunk_no, seq } = proof.event;
      output.result(
        { batch_id: batch.batchId, bytes, chunk_no, file: out, seq },
        `${out}: ${bytes} bytes, by event ${seq} of the chain`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'batch verify',
    summary: 'Check an attestation (JSON or PDF) or the proof of a subject: exit 0, or 1 and why',
    options: [
      { help: 'PDF, attestation or proof', name: 'file', required: true, value: 'FILE' },
      { help: 'from `keys public`', name: 'keys', required: true, value: 'FILE' },
      { help: 'the CSV report: is it the attested one', name: 'csv', value: 'FILE' },
      { help: 'the XLSX report, likewise', name: 'xlsx', value: 'FILE' },
      {
        help: 'of the chain, from `audit export`: does it name what the file says',
        name: 'export',
        value: 'FILE',
      },
      { help: "of a PDF's pages; FILE.sig where it is there", name: 'signature', value: 'FILE' },
    ],
    example: 'batch verify --file attestation.pdf --keys keys.json --csv report.csv',
    async run({ need, output }, given) {
      const path = given.value('file');
      const file = await readSmallFile(path);
      const signature = given.optional('signature');
      if (signature !== undefined && !isPdf(file)) throw new UsageError('--signature is of a PDF');
      const keys = await readKeys(given.value('keys'));
      const chain = given.optional('export');
      const anchors =
        chain === undefined ? undefined : await anchorsIn((await openInput(chain)).chunks, keys);
      const report = await verifyBatchFile(file, {
        anchors,
        digests: {
          report_sha256: await digestOf(given.optional('csv')),
          xlsx_sha256: await digestOf(given.optional('xlsx')),
        },
        keys,
        renderAttestation: need(renderAttestation),
        signature: isPdf(file) ? await signatureBeside(path, signature) : undefined,
      });
      output.result(report.value, report.text);
      return report.value.ok ? EXIT.done : EXIT.bad;
    },
  },
];

type CompletedBatch = Batch & Required<Pick<Batch, 'reports'>>;

async function completedBatch(
  { dataKeys, storage, tenants }: CliProcess,
  given: Given,
): Promise<CompletedBatch> {
  const batches = batchStore(storage.tables);
  const batchId = given.value('batch') as BatchId;
  const tenant = given.optional('tenant');
  for (const { id } of await tenants.list()) {
    if (tenant !== undefined && id !== tenant) continue;
    const found = await batches.findBatch({ batchId, tenantId: id });
    if (found === undefined) continue;
    const batch = await withCurrentFiles({ batches, dataKeys }, found);
    const { reports, status } = batch;
    if (reports !== undefined) return { ...batch, reports };
    const why = found.reports ? ': reports are written again, after an erasure' : ': no reports';
    throw new DomainError('state-conflict', { detail: `the batch is ${status}${why}` });
  }
  throw new DomainError('not-found', { detail: 'no such batch' });
}

function fileOf({ rejected, reports }: CompletedBatch, format: Format): StoredFile {
  const file = format === 'rejected' ? rejected : reports[format];
  if (file === undefined) throw new DomainError('not-found', { detail: 'no file of that format' });
  return file;
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** Named, or beside the file where there is one. */
async function signatureBeside(
  path: string,
  named: string | undefined,
): Promise<string | undefined> {
  const file = named ?? (existsSync(`${path}.sig`) ? `${path}.sig` : undefined);
  return file === undefined ? undefined : (await readDocument(file)).trim();
}

async function digestOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of (await openInput(path)).chunks) hash.update(chunk);
  return hash.digest('hex');
}
