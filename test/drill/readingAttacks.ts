/**
 * Reads and registrations that cost more than their caller pays: pages that seek through a whole
 * batch, all alerts, screenings or entries of a tenant and find nothing, proofs of nobody,
 * histories, look-ups of one letter, replays, messages that grow while they are read, streams that
 * nobody reads, endpoints in private networks.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, ask, keyOf, type Target } from './asking.ts';
import { pick, worstQuery } from './hostileText.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const STREAM_MS = 20_000;
const ENTITIES = 300;

/** A hostile tenant with its batch that has hits. */
function preyOf({ prepared }: Target): Target['prepared'][number] {
  const one = prepared[pick(prepared.length)];
  return one ?? { apiKey: '', batchId: '' };
}

const get = (target: Target, path: string, apiKey: string): Promise<string> =>
  ask(target, path, { headers: { 'x-api-key': apiKey } });

function hits(target: Target): Promise<string> {
  const { apiKey, batchId } = preyOf(target);
  const filter = pick(2) === 0 ? 'decision=pending&min_score=1' : 'min_score=0.9999&limit=200';
  return get(target, `/v1/aml/batches/${batchId}/hits?${filter}`, apiKey);
}

function proof(target: Target): Promise<string> {
  const { apiKey, batchId } = preyOf(target);
  return get(target, `/v1/aml/batches/${batchId}/proof?external_id=nobody-${pick(1e9)}`, apiKey);
}

function entity(target: Target): Promise<string> {
  const id = `demo-p-${String(1 + pick(ENTITIES)).padStart(4, '0')}`;
  return get(target, `/v1/sanctions/entities/${id}`, preyOf(target).apiKey);
}

function lookUp(target: Target): Promise<string> {
  const q = LETTERS[pick(LETTERS.length)] ?? 'a';
  return get(target, `/v1/sanctions/entities?q=${q}&limit=200`, preyOf(target).apiKey);
}

/** Pages that walk through all that their tenant has, and find nothing. */
const NOTHING = 'from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z';
const ALERT_FILTERS = ['status=closed_true_positive', 'type=monitoring', 'assignee=me', NOTHING];
const SCREENING_FILTERS = ['candidate=zzzz', 'decision=MATCH_RCA_INDIRECT', 'channel=batch'];
const TRAIL_FILTERS = ['actor=cli:nobody', 'target=nothing', 'type=identity.key.revoked'];
const CASE_FILTERS = ['assignee=nobody', 'external_ref=none', 'status=expired', 'risk_tier=low'];

const LAUGHS = Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
);
const XML = { format: 'iso20022_pacs008', type: 'application/xml' };
const MESSAGES = [
  { ...XML, body: `<!DOCTYPE d [<!ENTITY l0 "ha">${LAUGHS.join('')}]><Document>&l9;</Document>` },
  { ...XML, body: `<Document>${'<CdtTrfTxInf>'.repeat(200_000)}` },
  { ...XML, body: `<Document ${'a="b" '.repeat(200_000)}/>` },
  { body: `{1:F01${'A'.repeat(200_000)}`, format: 'swift_mt103', type: 'text/plain' },
] as const;

function alerts(target: Target): Promise<string> {
  const filter = `${ALERT_FILTERS[pick(ALERT_FILTERS.length)]}&severity=Low&limit=200`;
  return get(target, `/v1/aml/alerts?${filter}`, preyOf(target).apiKey);
}

function screenings(target: Target): Promise<string> {
  const filter = SCREENING_FILTERS[pick(SCREENING_FILTERS.length)];
  return get(target, `/v1/sanctions/screenings?${filter}&limit=200`, preyOf(target).apiKey);
}

function trail(target: Target): Promise<string> {
  const filter = TRAIL_FILTERS[pick(TRAIL_FILTERS.length)];
  return get(target, `/v1/audit/events?${filter}&limit=200`, preyOf(target).apiKey);
}

/** Pages of cases by filters that no case meets. */
function cases(target: Target): Promise<string> {
  const filter = CASE_FILTERS[pick(CASE_FILTERS.length)];
  return get(target, `/v1/kyc/cases?${filter}&limit=200`, preyOf(target).apiKey);
}

interface ScreeningPage {
  readonly data?: readonly { readonly screening_id: string }[];
}

/** A whole screening anew for each call, and a further one that is evidence. */
async function replay(target: Target): Promise<string> {
  const { apiKey } = preyOf(target);
  const headers = { 'x-api-key': apiKey };
  const page = await fetch(`${target.origin}/v1/sanctions/screenings?limit=20`, { headers })
    .then((response) => response.json() as Promise<ScreeningPage>)
    .catch(() => undefined);
  const id = page?.data?.[pick(page.data.length)]?.screening_id ?? randomUUID();
  return ask(target, `/v1/sanctions/screenings/${id}/replay`, { body: '', headers });
}

/** Messages that a parser pays for: entities that grow, elements without an end, a cut MT103. */
function message(target: Target): Promise<string> {
  const { body, format, type } = MESSAGES[pick(MESSAGES.length)] ?? MESSAGES[0];
  const headers = { 'content-type': type, 'x-api-key': keyOf(target) };
  return ask(target, `/v1/aml/transactions/ingest?format=${format}`, { body, headers });
}

/** The dearest explanation: the worst spellings beside a name that is listed. */
function explained(target: Target): Promise<string> {
  const { apiKey, batchId } = preyOf(target);
  const headers = { 'x-api-key': apiKey };
  if (pick(2) === 0) {
    return get(target, `/v1/aml/batches/${batchId}/hits?explain=true&limit=200`, apiKey);
  }
  const { transliterations } = JSON.parse(worstQuery()) as { transliterations: string[] };
  const subject = { full_name: 'Tarek Velmorani', full_name_transliterations: transliterations };
  const body = JSON.stringify({ subject });
  return ask(target, '/v1/aml/screen?explain=true', { body, headers });
}

/** A stream whose reader takes the head and nothing more. */
async function stream(target: Target): Promise<string> {
  const client = new AbortController();
  const headers = { 'x-api-key': preyOf(target).apiKey };
  const url = `${target.origin}/v1/aml/alerts/stream`;
  const answer = await fetch(url, { headers, signal: client.signal }).catch(() => undefined);
  if (answer?.status === 200) await delay(STREAM_MS);
  client.abort();
  return `${answer?.status ?? 'cut'}`;
}

const ENDPOINTS = [
  'https://127.0.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/hook',
  `https://${'a'.repeat(60)}.invalid/hook`,
  'https://10.0.0.1:6379/',
];
const EVENTS = ['aml.batch.completed', 'aml.alert', 'nothing.of.that.name'];

function webhook(target: Target): Promise<string> {
  const { apiKey } = preyOf(target);
  const headers = { 'x-api-key': apiKey };
  const kind = pick(3);
  if (kind === 0) {
    const filter = pick(2) === 0 ? '' : `&status=FAILED&endpoint_id=${randomUUID()}`;
    return get(target, `/v1/webhooks/deliveries?limit=200${filter}`, apiKey);
  }
  if (kind === 1) {
    const body = JSON.stringify({ event_type: EVENTS[pick(EVENTS.length)] });
    return ask(target, '/v1/webhooks/test', { body, headers });
  }
  const url = ENDPOINTS[pick(ENDPOINTS.length)];
  const body = JSON.stringify({ description: randomUUID(), events: EVENTS.slice(0, 1), url });
  return ask(target, '/v1/webhooks', { body, headers });
}

export const READING_ATTACKS: readonly Attack[] = [
  { atOnce: 32, name: 'hits that are none', perSecond: 5, run: hits },
  { atOnce: 8, name: 'proofs of nobody', perSecond: 2, run: proof },
  { atOnce: 32, name: 'whole entries', perSecond: 10, run: entity },
  { atOnce: 128, name: 'look-ups of a letter', perSecond: 20, run: lookUp },
  { atOnce: 32, name: 'scores taken apart', perSecond: 10, run: explained },
  { atOnce: 16, name: 'alerts that are none', perSecond: 5, run: alerts },
  { atOnce: 16, name: 'screenings that are none', perSecond: 5, run: screenings },
  { atOnce: 16, name: 'entries that are none', perSecond: 5, run: trail },
  { atOnce: 16, name: 'cases that are none', perSecond: 5, run: cases },
  { atOnce: 16, name: 'screenings replayed', perSecond: 2, run: replay },
  { atOnce: 8, isUpload: true, name: 'messages of bombs', perSecond: 2, run: message },
  { atOnce: 40, name: 'streams unread', perSecond: 2, run: stream },
  { atOnce: 16, name: 'webhook endpoints', perSecond: 3, run: webhook },
];
