/**
 * Whether the port is free, checked before anything is made: the answer is then one sentence and
 * not a child's stack. The gateway binds the port later, and reports if another process took it in
 * between.
 */
import { createServer } from 'node:net';
import { StartRefusal } from './installationLock.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen there; ports under 1024 are for root',
  EADDRINUSE: 'another program listens there; stop it, or set PORT to a free one',
  EADDRNOTAVAIL: 'HOST is no address of this machine',
  ENOTFOUND: 'HOST is no address of this machine',
};

/** Resolves with the port, or with a free one for 0. Throws StartRefusal. */
export async function claimPort(at: { host: string; port: number }): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: at.host, port: at.port, exclusive: true }, () => {
        const address = server.address();
        resolve(address !== null && typeof address === 'object' ? address.port : at.port);
      });
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartRefusal(
      `PORT: cannot listen on ${at.host}:${at.port}: ${REASONS[code] ?? code}`,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
