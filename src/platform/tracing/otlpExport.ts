/**
 * Sends spans to a collector by OTLP over HTTP with JSON. Every failure is an outcome, none is
 * thrown, and the answer is read up to a bound: the collector is another product.
 */
import { Agent as PlainAgent, request as requestPlainly } from 'node:http';
import { request as requestByTls, Agent as TlsAgent } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TracingConfig } from '../tracingConfig.ts';
import { otlpJson, type ResourceAttributes } from './otlpJson.ts';
import type { SendOutcome } from './spanQueue.ts';
import type { EndedSpan } from './spans.ts';

/** OTLP/HTTP, "Failures": to be sent again; every other 4xx and 5xx is final. */
const PASSING = new Set([429, 502, 503, 504]);
const ANSWER_BYTES_MAX = 64 * 1024;
const compress = promisify(gzip);

export interface OtlpExport {
  send(spans: readonly EndedSpan[]): Promise<SendOutcome>;
  close(): void;
}

export function openOtlpExport(options: {
  readonly config: TracingConfig;
  readonly resource: ResourceAttributes;
  /** A batch was not taken; the reason names neither address nor headers. */
  readonly onFailure: (reason: string) => void;
}): OtlpExport {
  const { config, onFailure, resource } = options;
  const { headers, isGzip, timeoutMs, url } = config;
  const post = openPost(url, timeoutMs);
  const sent = async (spans: readonly EndedSpan[]): Promise<number> => {
    const json = Buffer.from(otlpJson(spans, resource));
    return post.send(isGzip ? await compress(json) : json, {
      ...headers,
      'content-type': 'application/json',
      ...(isGzip && { 'content-encoding': 'gzip' }),
    });
  };
  return {
    close: post.close,
    async send(spans) {
      try {
        const status = await sent(spans);
        if (status >= 200 && status <= 299) return 'taken';
        onFailure(`the collector answers HTTP ${status}`);
        return PASSING.has(status) ? 'again' : 'refused';
      } catch (error) {
        onFailure(`the collector does not answer: ${reasonOf(error)}`);
        return 'again';
      }
    },
  };
}

/**
 * One connection that is kept. Node's own client: another one would cost a process that has none 20
 * MB.
 */
function openPost(url: string, timeoutMs: number) {
  const isTls = url.startsWith('https:');
  const Agent = isTls ? TlsAgent : PlainAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = isTls ? requestByTls : requestPlainly;
  const send = (body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<number> =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const asked = ask(url, { agent, headers, method: 'POST', signal });
      asked.once('error', reject);
      asked.once('response', (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > ANSWER_BYTES_MAX) response.destroy();
        });
        response.once('error', reject);
        // Its status says enough.
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      asked.end(body);
    });
  return { close: () => agent.destroy(), send };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'not in time';
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
