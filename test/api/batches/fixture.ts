/** Batches through a whole gateway: how they are sent, and what a worker would have written. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer, Caller, RealGateway } from '../realGateway.ts';

export const SUBJECTS = [
  { dob: '1971-03-14', external_id: 'C-1', full_name: 'Tarek Velmorani' },
  { external_id: 'C-2', full_name: 'سالم بن علي', type: 'individual' },
  { external_id: 'C-3', full_name: 'Nobody Atall' },
];

export interface CreatedBody {
  readonly batch_id: string;
  readonly status: string;
  readonly subjects_total: number;
  readonly estimated_completion: string;
}

export const csvOf = (rows: number): string =>
  `external_id,full_name\n${Array.from({ length: rows }, (_, at) => `C-${at},Name ${at}\n`).join('')}`;

/** Parts in order; the boundary is drawn anew, as clients do. */
export function formOf(
  fields: readonly (readonly [string, string])[],
  file: Uint8Array | string,
  fileName = 'customers.csv',
): { readonly body: Buffer; readonly contentType: string } {
  const boundary = `b${crypto.randomUUID()}`;
  const head = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const texts = fields.map(([name, value]) => `${head(`name="${name}"`)}${value}\r\n`);
  const body = Buffer.concat([
    Buffer.from(texts.join('')),
    Buffer.from(head(`name="file"; filename="${fileName}"`)),
    Buffer.from(file),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

export async function postForm(
  caller: Caller,
  form: { readonly body: Buffer; readonly contentType: string },
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  return caller.send('/v1/aml/batches/csv', {
    body: new Uint8Array(form.body),
    headers: { 'Content-Type': form.contentType, 'Idempotency-Key': key },
    method: 'POST',
  });
}

/** Text as it is, so that the same JSON may be written in several ways. */
export async function postText(
  caller: Caller,
  text: string,
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  return caller.send('/v1/aml/batches', {
    body: text,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    method: 'POST',
  });
}

/** Files in the blob store: named ones, and those that are still written. */
export async function filesIn(gateway: RealGateway, folder: 'sha256' | 'tmp'): Promise<string[]> {
  const directory = join(gateway.installation.config.dataDir, 'blobs', folder);
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

export async function batchesOf(caller: Caller): Promise<{ batch_id: string }[]> {
  return (await caller.get('/v1/aml/batches?limit=200')).json<{ data: { batch_id: string }[] }>()
    .data;
}
