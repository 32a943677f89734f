import { problemOf, retryAfterOf } from './problem.js';
import { WAIT_MS_MAX } from './sending.js';

export interface StreamedEvent {
  readonly data: unknown;
  readonly event: string;
  /** What a later call goes on behind, as `lastEventId`. */
  readonly id: string | undefined;
}

export interface Following {
  /** Opens the stream behind an id. */
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const WAIT_MS = 1000;
/** What a service, or the proxy before it, says while it is busy or starts again. */
const AWAY = [429, 502, 503, 504];

/**
 * Events of a stream (WHATWG, server-sent events), without end: a stream that ends, as each does
 * after five minutes, is opened again behind its last event, and so is one whose service is away.
 * Ends with the signal; a refusal, as of an expired credential, is thrown.
 */
export async function* follow(following: Following): AsyncGenerator<StreamedEvent, void> {
  const { open, signal, sleep } = following;
  let { lastEventId } = following;
  while (!signal.aborted) {
    const answer = await open(lastEventId, signal).catch((error: unknown) => {
      // A network that is away comes back.
      if (error instanceof TypeError && !signal.aborted) return undefined;
      throw error;
    });
    if (answer !== undefined && AWAY.includes(answer.status)) {
      await answer.body?.cancel();
      await sleep(waitOf(answer), signal);
      continue;
    }
    if (answer !== undefined && !answer.ok) {
      throw problemOf(await answer.json().catch(() => undefined), answer);
    }
    for await (const one of blocksOf(answer?.body, signal)) {
      lastEventId = one.id ?? lastEventId;
      // A block without data is none of the events: it tells where the stream is.
      if (one.data !== undefined) yield one;
    }
    if (!signal.aborted) await sleep(WAIT_MS, signal);
  }
}

/** Nobody waits for one answer of a stream, so it is asked for again, at the latest by the bound. */
function waitOf(answer: Response): number {
  const askedMs = (retryAfterOf(answer) ?? 0) * 1000;
  return Math.min(WAIT_MS_MAX, Math.max(WAIT_MS, askedMs));
}

/** Until the connection ends; one that breaks ends as well. */
async function* blocksOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent, void> {
  if (body == null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        if (signal.aborted) throw error;
        return { done: true, value: undefined };
      });
      if (done) return;
      const blocks = `${text}${value}`.split(/\n\n|\r\n\r\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readBlock(block: string): StreamedEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const former = name === 'data' ? fields.get(name) : undefined;
    fields.set(name, former === undefined ? value : `${former}\n${value}`);
  }
  if (fields.size === 0) return undefined;
  const data = fields.get('data');
  return {
    data: data === undefined || data === '' ? undefined : JSON.parse(data),
    event: fields.get('event') ?? 'message',
    id: fields.get('id'),
  };
}
