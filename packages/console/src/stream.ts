/**
 * Server-sent events over `fetch`, since an EventSource cannot send the header of the console. A
 * stream that ends goes on behind the last event that came.
 */
import { send, withQuery } from './http.ts';
import { Problem } from './problem.ts';
import type { Alert } from './types.ts';

const RETRY_MS = 2_000;

export interface AlertEvent {
  /** `aml.alert` or `aml.alert.updated` */
  readonly kind: string;
  readonly alert: Alert;
}

/** Calls `onEvent` until `signal` fires. A refusal of the role or the session ends it. */
export async function followAlerts(
  signal: AbortSignal,
  onEvent: (event: AlertEvent) => void,
): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const path = withQuery('/console/api/v1/aml/alerts/stream', { last_event_id: last });
      const headers = { Accept: 'text/event-stream' };
      const { body } = await send(path, { headers, signal });
      if (body !== null) last = await readEvents(body, last, onEvent);
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && error.status < 500)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  before: string | undefined,
  onEvent: (event: AlertEvent) => void,
): Promise<string | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader();
  let last = before;
  let rest = '';
  for (;;) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: string };
    if (done) return last;
    rest += value ?? '';
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = fieldsOf(frame);
      last = fields.id ?? last;
      const { data, event: kind = '' } = fields;
      if (data !== undefined && kind.startsWith('aml.alert')) {
        onEvent({ alert: JSON.parse(data) as Alert, kind });
      }
    }
  }
}

const fieldsOf = (frame: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    frame.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
