/** An answer of a gateway that is called without sockets. */
import type { HttpReply } from '../../../../src/api/http/port.ts';

export class Reply {
  readonly status: number;
  readonly raw: HttpReply;
  constructor(raw: HttpReply) {
    this.status = raw.status;
    this.raw = raw;
  }
  header(name: string): string | undefined {
    return this.raw.headers.find(([known]) => known === name)?.[1];
  }
  json(): Record<string, unknown> {
    return JSON.parse(String(this.raw.body)) as Record<string, unknown>;
  }
  get code(): unknown {
    return this.json().code;
  }
  /** Codes of the violations. */
  get errors(): unknown[] {
    return (this.json().errors as { pointer: string; code: string }[]).map(
      ({ code, pointer }) => `${pointer} ${code}`,
    );
  }
  async bytes(): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.raw.body as AsyncIterable<Uint8Array>) parts.push(part);
    return Buffer.concat(parts);
  }
}
