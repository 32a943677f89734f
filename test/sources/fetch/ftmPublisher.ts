/**
 * A publisher of FtM data as far as a fetch sees it: an index, whole files and deltas, by path.
 * What is asked for is noted; a path without content answers 404.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FtmPublisher {
  readonly origin: string;
  readonly asked: string[];
  /** Query of each request. */
  readonly queries: string[];
  /** By path, the text or how it comes to be. */
  readonly files: Map<string, string | (() => string)>;
  /** Puts a whole release up, its index beside it; `deltas` are by version, of what came before. */
  release(version: string, entities: string, deltas?: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

export const ENTITIES_PATH = '/datasets/latest/all/entities.ftm.json';
export const INDEX_PATH = '/datasets/latest/all/index.json';

export const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

export async function openFtmPublisher(): Promise<FtmPublisher> {
  const asked: string[] = [];
  const queries: string[] = [];
  const files: FtmPublisher['files'] = new Map();
  const server = createServer((request, response) => {
    const { pathname: path, search } = new URL(request.url ?? '/', 'http://here');
    asked.push(path);
    queries.push(search);
    const file = files.get(path);
    if (file === undefined) response.writeHead(404).end();
    else response.end(typeof file === 'string' ? file : file());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    files,
    origin,
    queries,
    release(version, entities, deltas = {}) {
      const folder = `/artifacts/all/${version}`;
      const versions = Object.entries(deltas).map(([of, text]) => {
        const path = `/artifacts/all/${of}/entities.delta.json`;
        files.set(path, text);
        return [of, `${origin}${path}`];
      });
      files.set(`${folder}/entities.ftm.json`, entities);
      files.set(ENTITIES_PATH, entities);
      files.set(
        `${folder}/delta.json`,
        JSON.stringify({
          updated_at: '2026-01-01T00:00:00Z',
          versions: Object.fromEntries(versions),
        }),
      );
      const resource = {
        checksum: sha1(entities),
        name: 'entities.ftm.json',
        size: Buffer.byteLength(entities),
        url: `${origin}${folder}/entities.ftm.json`,
      };
      const delta_url = `${origin}${folder}/delta.json`;
      files.set(
        INDEX_PATH,
        JSON.stringify({ delta_url, name: 'all', resources: [resource], version }),
      );
    },
  };
}
