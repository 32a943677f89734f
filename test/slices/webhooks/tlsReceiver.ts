/** A customer's system behind TLS, which may ask for a certificate; and whom it believes. */
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { makeCertificate, type TestCertificate } from '../../platform/testCertificates.ts';

export const AUTHORITY = makeCertificate('Test authority', { isAuthority: true });
export const SERVER = makeCertificate('server', {
  hosts: ['localhost', '127.0.0.1'],
  issuer: AUTHORITY,
});

export interface TlsReceiver {
  readonly port: number;
  readonly url: string;
  /** Subjects of the certificates that requests came with. */
  readonly subjects: (string | undefined)[];
  /** Names that were asked for in handshakes. */
  readonly names: string[];
  connections: number;
  close(): Promise<void>;
}

export async function startTlsReceiver(
  options: TlsOptions = {},
  certificate: TestCertificate = SERVER,
): Promise<TlsReceiver> {
  const server: Server = createServer(
    { cert: certificate.certificatePem, key: certificate.keyPem, ...options },
    (request, response) => {
      request.resume();
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      receiver.subjects.push((subject?.CN ?? undefined) as string | undefined);
      response.writeHead(204).end();
    },
  );
  server.on('connection', () => receiver.connections++);
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => receiver.names.push(String(socket.servername)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: TlsReceiver = {
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
    connections: 0,
    names: [],
    port,
    subjects: [],
    url: `https://127.0.0.1:${port}/hook`,
  };
  return receiver;
}
