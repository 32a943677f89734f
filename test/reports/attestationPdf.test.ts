/** The PDF of an attestation: what it says, in which letters, and that nobody sees another one. */
import { createRequire } from 'node:module';
import { getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { attest, attestationText } from '#slices/batches';
import { readAttachment } from '../../src/platform/pdfAttachment.ts';
import { renderAttestation } from '../../src/reports/attestationPdf.ts';
import { sampleBatch } from './sampleBatch.ts';

const FILE = { address: 'cd'.repeat(32), bytes: 1 };

function attestationOf(names: { tenantName?: string; name?: string } = {}) {
  const { from, signer } = sampleBatch({ subjects: 30, ...names });
  return attest(from, { csv: FILE, xlsx: FILE }, signer);
}

async function itemsOf(pdf: Uint8Array): Promise<string[]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const items: string[] = [];
  for (let page = 1; page <= document.numPages; page++) {
    const content = await (await document.getPage(page)).getTextContent();
    for (const item of content.items) if ('str' in item) items.push(item.str);
  }
  return items;
}

test('says all that the interface asks for', async () => {
  const attestation = attestationOf({ name: 'Friday', tenantName: 'First Bank' });
  const text = (await itemsOf(await renderAttestation(attestation))).join('\n');
  for (const expected of [
    ...['First Bank', 'Friday', attestation.batch_id, 'full: the whole cohort'],
    ...['customers.csv.gz', '32 rows of data', attestation.input.sha256],
    ...['2026-11-20T18:00:00.000Z', '2026-11-20T19:02:05.250Z', '1 h 2 min 5.250 s'],
    ...['OFAC_SDN', 'v2026-11-10.a', '2026-11-19T18:00:00.000Z', 'UN_SC'],
    ...['Subjects screened', 'Subjects with hits', 'Hits: PEP', 'Hits: adverse media'],
    ...[attestation.report_sha256, attestation.results_root, attestation.key_id],
    attestation.signature,
  ]) {
    expect(text).toContain(expected);
  }
});

/** U+FE70 to U+FEFF in the font's names of glyphs: a letter in its form inside a word. */
const JOINED = ['uniFBFE', 'uniFEE7', 'uniFEE8', 'uniFE91', 'uniFE97'];

test('says in a sentence what it proves, and what it does not', async () => {
  const text = (await itemsOf(await renderAttestation(attestationOf()))).join(' ');
  const words = text.replace(/\s+/g, ' ');
  expect(words).toContain(
    'This attestation proves that 30 subjects of the input below were screened',
  );
  expect(words).toContain('that 3 of them had hits');
  expect(words).toContain('It does not prove that the input held every customer');
});

test('Arabic is joined, ordered, and found by those who search for it', async () => {
  const pdf = await renderAttestation(attestationOf({ tenantName: 'بنك تونس (المركزي) SARL' }));
  const items = await itemsOf(pdf);
  expect(items.some((item) => item.startsWith('بنك تونس'))).toBe(true);
  const fontkit = createRequire(createRequire(import.meta.url).resolve('pdfkit'))('fontkit');
  const path = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
  const { glyphs } = fontkit.openSync(path).layout('بنك');
  const names = glyphs.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string) => JOINED.includes(name))).toHaveLength(2);
});

test('the attestation is attached, byte for byte', async () => {
  const attestation = attestationOf({ name: 'دفعة', tenantName: 'Bank "A" & Söhne 中文' });
  const pdf = await renderAttestation(attestation);
  expect(readAttachment(pdf)?.toString()).toBe(attestationText(attestation));
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const attached = await document.getAttachmentContent('attestation.json');
  expect(Buffer.from(attached ?? []).toString()).toBe(attestationText(attestation));
});

test('the same attestation gives the same bytes', async () => {
  const attestation = attestationOf({ tenantName: 'بنك تونس' });
  const [one, other] = [await renderAttestation(attestation), await renderAttestation(attestation)];
  expect(one.equals(other)).toBe(true);
});

test('names of any length and script take lines and pages, not the place of others', async () => {
  const name = 'اسم طويل جدا '.repeat(20);
  const attestation = attestationOf({ name, tenantName: 'W'.repeat(255) });
  const pdf = await renderAttestation(attestation);
  const document = await getDocumentProxy(new Uint8Array(pdf));
  expect(document.numPages).toBeGreaterThan(1);
});

test('a PDF that holds two attachments, or none, has no attestation', async () => {
  const pdf = await renderAttestation(attestationOf());
  expect(readAttachment(Buffer.concat([pdf, pdf]))).toBeUndefined();
  expect(readAttachment(Buffer.from('%PDF-1.7'))).toBeUndefined();
  expect(readAttachment(pdf.subarray(0, 1_000))).toBeUndefined();
});
