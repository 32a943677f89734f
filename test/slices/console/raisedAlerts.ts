/** Alerts as a worker raises them, for names of the shipped list that are all invented. */
import { readFileSync } from 'node:fs';
import type { OutboxEvent } from '#core/reactions';
import { subscribers } from '../../../src/slices/alerts/edge/jobs.ts';
import type { Caller, RealGateway } from '../../api/realGateway.ts';

const LIST = new URL('../../../config/demo/entities.jsonl', import.meta.url);

/** Persons of the list who are sanctioned, in its order. */
export const LISTED: readonly string[] = readFileSync(LIST, 'utf8')
  .split('\n')
  .filter((line) => line.includes('"SAN"') && line.includes('"schema":"Person"'))
  .map((line) => (JSON.parse(line) as { primary_name: string }).primary_name);

/** Screens a name, and does what a worker does with the event that the screening left. */
export async function raiseAlert(
  gateway: RealGateway,
  caller: Caller,
  query: object,
): Promise<string> {
  const answer = await caller.screen(query);
  const { decision, screening_id } = answer.json<{ decision: string; screening_id: string }>();
  const [alerts] = subscribers(gateway.process as never);
  const event = {
    partition: caller.tenantId,
    payload: { screeningId: screening_id, verdict: decision },
    topic: 'sanctions.screening.completed',
  } as unknown as OutboxEvent;
  await alerts?.on?.['sanctions.screening.completed']?.(event, new AbortController().signal);
  return screening_id;
}
