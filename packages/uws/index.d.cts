/**
 * The part of uWebSockets.js that the adapter touches; hyper-express's own types import the rest
 * of the names from here. After an answer or an abort every method of a response throws.
 */
export interface HttpRequest {
  /** As received; a route's own `getMethod` is lower-case. */
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /** Without `?`; undefined where the target has none. */
  getQuery(): string | undefined;
  /** Lower-case names, in order, repeated lines one by one. */
  forEach(each: (name: string, value: string) => void): void;
}

export interface HttpResponse {
  pause(): void;
  resume(): void;
  writeStatus(status: string): this;
  writeHeader(name: string, value: string): this;
  /** `false`: kept in memory until the socket takes it; `onWritable` tells. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): this;
  endWithoutBody(reportedContentLength?: number, closeConnection?: boolean): this;
  /** `[taken whole, answer is out]`; what was not taken is offered again in `onWritable`. */
  tryEnd(chunk: Uint8Array, totalBytes: number): [boolean, boolean];
  close(): this;
  onWritable(handler: (offset: number) => boolean): this;
  onAborted(handler: () => void): this;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this;
  cork(write: () => void): this;
}

export interface us_listen_socket {
  readonly brand?: 'us_listen_socket';
}
export type us_socket_context_t = object;
export type WebSocket<UserData> = { getUserData(): UserData };
export type CompressOptions = number;

export interface TemplatedApp {
  listen(
    host: string,
    port: number,
    options: number,
    onListen: (socket: us_listen_socket | false) => void,
  ): this;
  close(): this;
}

export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
export function us_listen_socket_close(socket: us_listen_socket): void;
export function us_socket_local_port(socket: us_listen_socket): number;
/** Name and version of the package whose binary serves. */
export const build: string;
