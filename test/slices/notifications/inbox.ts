/** A mail server that answers as it is told, and keeps what came, taken apart. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SmtpConfig } from '#platform/noticeConfig';

export interface Received {
  readonly to: readonly string[];
  readonly from: string;
  readonly raw: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  readonly isSecure: boolean;
}

export interface InboxOptions {
  /** Certificate and key: STARTTLS is offered. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** From the first byte. */
  readonly isSecure?: boolean;
  readonly login?: { readonly user: string; readonly password: string };
}

export interface Inbox {
  readonly received: Received[];
  readonly config: SmtpConfig;
  readonly port: number;
  /** Called for each reader; answers the code with which the server refuses. */
  refuse: (address: string) => number | undefined;
  /** Called with each mail that came whole, before it is answered. */
  taken: (one: Received) => Promise<void> | void;
  close(): Promise<void>;
}

export async function openInbox(options: InboxOptions = {}): Promise<Inbox> {
  const { isSecure = false, login, tls } = options;
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: login === undefined,
    closeTimeout: 100,
    disabledCommands: [
      ...(tls === undefined ? ['STARTTLS'] : []),
      ...(login === undefined ? ['AUTH'] : []),
    ],
    disableReverseLookup: true,
    logger: false,
    onAuth({ password, username }, _session, done) {
      const isRight = username === login?.user && password === login?.password;
      if (isRight) done(null, { user: username });
      else done(refusal(535));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const one = {
          ...partsOf(Buffer.concat(pieces).toString('utf8')),
          from: mailFrom === false ? '' : mailFrom.address,
          isSecure: session.secure,
          to: rcptTo.map(({ address }) => address),
        };
        received.push(one);
        void Promise.resolve(inbox.taken(one)).then(
          () => done(),
          (error: Error) => done(error),
        );
      });
    },
    onRcptTo({ address }, _session, done) {
      const code = inbox.refuse(address);
      if (code === undefined) done();
      else done(refusal(code));
    },
    secure: isSecure,
    ...tls,
  });
  server.on('error', () => undefined); // a client that went away is no matter of the test
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const inbox: Inbox = {
    close: () => new Promise((resolve) => server.close(() => resolve())),
    config: {
      from: 'notices@house.example',
      host: '127.0.0.1',
      port,
      security: isSecure ? 'tls' : 'none',
    },
    port,
    received,
    refuse: () => undefined,
    taken: () => undefined,
  };
  return inbox;
}

const refusal = (responseCode: number): Error =>
  Object.assign(new Error('not now'), { responseCode });

/** Headers unfolded, and the two forms of the body decoded. */
export function partsOf(raw: string): Pick<Received, 'headers' | 'html' | 'raw' | 'text'> {
  const { body, headers } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')));
  const decoded = (type: string): string => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type));
    return part === undefined ? '' : decode(part);
  };
  return { headers, html: decoded('text/html'), raw, text: decoded('text/plain') };
}

function split(text: string) {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
    }),
  );
  return { body: text.slice(end + 4), headers };
}

function decode({ body, headers }: ReturnType<typeof split>): string {
  const encoding = headers.get('content-transfer-encoding');
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A subject as people see it: encoded words of UTF-8. */
export const decodedSubject = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('latin1')
        : word
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/g, (__, hex: string) =>
              String.fromCharCode(Number(`0x${hex}`)),
            ),
    );
