/** What hostile and quiet tenants find ready: names that are listed, and batches that have hits. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Customer, until } from './cluster.ts';

const BEGINNINGS = ['ab', 'al', 'an', 'be', 'ch', 'da', 'el', 'ha', 'ka', 'ma', 'mo', 'sa', 'ta'];
const PAGE = 200;
const AGAIN_MS = 250;
const END_MS_MAX = 600_000;

/** Names of entries that the customer's lists have, as far as a look-up finds them. */
export async function listedNames(
  origin: string,
  { apiKey }: Customer,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const q of BEGINNINGS) {
    const url = `${origin}/v1/sanctions/entities?q=${q}&limit=${PAGE}`;
    const answer = await fetch(url, { headers: { 'x-api-key': apiKey } });
    if (answer.status !== 200) throw new Error(`a look-up of ${q}: ${answer.status}`);
    const { data } = (await answer.json()) as { data: readonly { primary_name: string }[] };
    for (const { primary_name } of data) names.add(primary_name);
  }
  return [...names];
}

/** A batch that is over, each of whose subjects has a listed name. */
export async function preparedBatch(
  origin: string,
  { apiKey }: Customer,
  { listed, subjects }: { readonly listed: readonly string[]; readonly subjects: number },
): Promise<{ readonly apiKey: string; readonly batchId: string }> {
  const rows = Array.from({ length: subjects }, (_, at) => ({
    external_id: `p-${at}`,
    full_name: listed[at % listed.length] ?? 'Anna Berg',
  }));
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const answer = await fetch(`${origin}/v1/aml/batches`, {
    body: JSON.stringify({ name: 'prepared', subjects: rows }),
    headers: { ...headers, 'idempotency-key': randomUUID() },
    method: 'POST',
  });
  const text = await answer.text();
  if (answer.status !== 202) throw new Error(`a prepared batch: ${answer.status} ${text}`);
  const { batch_id: batchId } = JSON.parse(text) as { readonly batch_id: string };
  await until(
    'a prepared batch ends',
    async () => {
      await delay(AGAIN_MS);
      const seen = await fetch(`${origin}/v1/aml/batches/${batchId}`, { headers });
      return ((await seen.json()) as { readonly status: string }).status === 'completed';
    },
    END_MS_MAX,
  );
  return { apiKey, batchId };
}
