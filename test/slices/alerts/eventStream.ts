/** A client of server-sent events (WHATWG HTML, 9.2) that reads frame by frame. */
import type { Caller } from '../../api/realGateway.ts';

/** The fields of one frame; absent where it has none of that name. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
}

export interface EventStream {
  readonly status: number;
  next(): Promise<Frame>;
  close(): void;
}

export async function openStream(
  origin: string,
  caller: Caller,
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<EventStream> {
  const aborted = new AbortController();
  const [name = '', value = ''] = caller.credentialLine.split(': ');
  const response = await fetch(`${origin}/v1/aml/alerts/stream${query}`, {
    headers: { ...headers, [name]: value },
    signal: aborted.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    close: () => aborted.abort(),
    async next() {
      while (!text.includes('\n\n')) {
        const read = await reader?.read();
        if (read?.value === undefined) throw new Error('the stream has ended');
        text += read.value;
      }
      const end = text.indexOf('\n\n');
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2))) as Frame;
    },
    status: response.status,
  };
}
