/**
 * The published clients in TypeScript and Python: every operation of the description reaches its
 * own handler over both HTTP adapters, with what its example says, and a refusal comes back as the
 * client's own error. Then what is written by hand: keys, repeats, pages, streams, webhooks.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Principal, ROLES } from '#core/identity';
import { codesOf, DomainError } from '#core/kernel';
import { DESCRIBED_OPERATIONS } from '../../../scripts/writeDocs.ts';
import { createHttpServer, type HttpServer } from '../../../src/api/http/index.ts';
import type { Operation } from '../../../src/api/operation.ts';
import { PROBLEMS } from '../../../src/app/sliceRows.ts';
import { gatewayOf, PRINCIPAL } from '../../api/fakes.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { buildPython, buildTypescript, isInstalled, PYTHON, runPython } from './builtClients.ts';

const ID = '018f0000-0000-7000-8000-0000000000aa';
const EVERYBODY: Principal = { ...PRINCIPAL, roles: [...ROLES] };
/** What nobody calls by a role, a customer calls by a session. */
const CUSTOMER: Principal = {
  ...PRINCIPAL,
  kind: 'session',
  roles: [],
  session: { caseId: ID, channel: 'web', formId: ID, versionId: ID },
};
const OF_CUSTOMERS: ReadonlySet<string> = new Set(
  DESCRIBED_OPERATIONS.filter(({ roles }) => roles.length === 0).map(({ path }) => path),
);
const STREAM = 'streamAlerts';
/** The generator of Python takes a body of one kind alone: a file of many kinds is sent by hand. */
const RAW: Readonly<Record<string, object>> = {
  ingestTransactions: {
    body: ':20:A',
    path: '/v1/aml/transactions/ingest?format=swift_mt103',
    type: 'text/plain',
  },
};
/** Parameters of a format that only their pattern tells. */
const SPELT: Readonly<Record<string, string>> = {
  reporting_fi_giin: '98Q96B.00000.LE.250',
  reporting_period: '2025',
};

interface Written {
  alerts(options: object): AsyncGenerator<{ readonly data: unknown; readonly id?: string }>;
  upload(upload: object): Promise<unknown>;
}

/** Each operation by its id: what is generated has no types here. */
type Client = Written & Readonly<Record<string, (options: object) => Promise<unknown>>>;

interface Package {
  readonly ComplianceClient: new (connection: object) => Client;
  readonly rowsOf: (
    of: string,
    ask: (cursor?: string) => Promise<unknown>,
  ) => AsyncGenerator<unknown>;
  readonly verifyWebhook: (
    call: object,
    secrets: readonly string[],
    nowS: number,
  ) => Promise<{ readonly event_id: string }>;
}

interface Shape {
  readonly anyOf?: readonly { readonly const?: string }[];
  readonly examples?: readonly string[];
  readonly type?: string;
}

/** Values that every operation takes where it takes a parameter of the name. */
function parametersOf(operation: Operation): Record<string, string> {
  const { properties = {} } = (operation.query ?? {}) as { properties?: Record<string, object> };
  const chosen = Object.entries(properties).map(([name, of]) => {
    const { anyOf, examples, type } = of as Shape;
    const value = anyOf?.[0]?.const ?? examples?.[0] ?? (type === 'integer' ? '2025' : ID);
    return [name, SPELT[name] ?? value];
  });
  const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => [name, ID]);
  return Object.fromEntries([...chosen, ...inPath]);
}

function requiredOf(operation: Operation): readonly string[] {
  return ((operation.query ?? {}) as { required?: string[] }).required ?? [];
}

describe.skipIf(!isInstalled)('clients as they are published', () => {
  let typescript: Package;
  let [folder, python] = ['', ''];

  beforeAll(async () => {
    folder = buildTypescript();
    typescript = (await import(join(folder, 'index.js'))) as Package;
    python = buildPython();
  }, 600_000);

  describe.each(TECHNOLOGIES)('over %s', (technology) => {
    const reached: string[] = [];
    let server: HttpServer;
    let url = '';

    const operations = DESCRIBED_OPERATIONS.map(
      (operation): Operation => ({
        ...operation,
        handle: async () => {
          reached.push(operation.id);
          throw new DomainError('state-conflict');
        },
        ...(operation.upload && {
          upload: { ...operation.upload, receive: async () => ({ bodyDigest: '', value: {} }) },
        }),
      }),
    );

    beforeAll(async () => {
      const { handler, refusal } = gatewayOf(operations, {
        authenticator: {
          authenticate: async ({ path }) => (OF_CUSTOMERS.has(path) ? CUSTOMER : EVERYBODY),
        },
      });
      server = createHttpServer(technology, {
        bodyIdleTimeoutMs: 10_000,
        handler,
        headersBytesMax: 16_384,
        headersTimeoutMs: 10_000,
        keepAliveTimeoutMs: 5_000,
        refusal,
      });
      const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
      url = `http://127.0.0.1:${port}`;
    });

    afterAll(() => server.close(1_000));

    test.each(operations.map((operation) => [operation.id, operation] as const))(
      'TypeScript calls %s',
      async (id, operation) => {
        const api = new typescript.ComplianceClient({ apiKey: 'csk_test', baseUrl: url });
        const parameters = parametersOf(operation);
        const required = requiredOf(operation);
        const query = Object.fromEntries(required.map((name) => [name, parameters[name]]));
        reached.length = 0;
        const call =
          id === STREAM
            ? api.alerts({}).next()
            : api[id]?.({ body: operation.example, path: parameters, query });
        await expect(call).rejects.toMatchObject({ code: 'state-conflict', name: 'Conflict' });
        expect(reached).toEqual([id]);
      },
    );

    test('Python calls every one', async () => {
      const orders = operations
        .filter(({ id }) => id !== STREAM)
        .map((operation) => ({
          any: ID,
          body: operation.example ?? null,
          id: operation.id,
          parameters: parametersOf(operation),
          raw: RAW[operation.id] ?? null,
        }));
      reached.length = 0;
      const refused = await askPython(python, url, orders);
      const conflict = ['Conflict', 'state-conflict'];
      expect(refused).toEqual(Object.fromEntries(orders.map(({ id }) => [id, conflict])));
      expect(reached).toEqual(orders.map(({ id }) => id));
    }, 120_000);
  });

  describe('what is written by hand in TypeScript', () => {
    let stop: () => void = () => undefined;
    afterAll(() => stop());

    async function serve(listener: RequestListener, more: object = {}): Promise<Client> {
      stop();
      const server = createServer(listener).listen(0, '127.0.0.1');
      await once(server, 'listening');
      stop = () => server.closeAllConnections();
      const { port } = server.address() as AddressInfo;
      const baseUrl = `http://127.0.0.1:${port}`;
      return new typescript.ComplianceClient({ apiKey: 'csk_test', baseUrl, ...more });
    }

    test('tells what was altered from what somebody else was first with', async () => {
      const api = await serve((_, response) => {
        response.writeHead(409, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ code: 'state-altered', status: 409, title: 'Altered' }));
      });
      const call = api.screenName?.({ body: { name: 'A' } });
      await expect(call).rejects.toMatchObject({ code: 'state-altered', name: 'Locked' });
    });

    test('sends again what was not done, under one key', async () => {
      const keys: unknown[] = [];
      const api = await serve((request, response) => {
        keys.push(request.headers['idempotency-key']);
        response.setHeader('Content-Type', 'application/json');
        if (keys.length === 1) request.socket.destroy();
        if (keys.length === 2) response.writeHead(503, { 'Retry-After': '0' });
        response.end(JSON.stringify({ decision: 'CLEAR' }));
      });
      expect(await api.screenName?.({ body: { name: 'A' } })).toEqual({ decision: 'CLEAR' });
      expect(keys).toEqual([keys[0], keys[0], keys[0]]);
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    });

    test('waits for an order that is in progress under its key', async () => {
      const keys: unknown[] = [];
      const api = await serve((request, response) => {
        keys.push(request.headers['idempotency-key']);
        response.setHeader('Content-Type', 'application/json');
        if (keys.length === 1) response.writeHead(409, { 'Retry-After': '0' });
        response.end(JSON.stringify({ decision: 'CLEAR' }));
      });
      expect(await api.screenName?.({ body: { name: 'A' } })).toEqual({ decision: 'CLEAR' });
      expect(keys).toEqual([keys[0], keys[0]]);
    });

    test.each([
      ['a wait beyond the bound', '31', {}],
      ['a wait beyond the deadline', '2', { retryForMs: 1_000 }],
    ])('hands %s to the caller at once', async (_, asked, more) => {
      let count = 0;
      const api = await serve((_, response) => {
        count += 1;
        response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': asked });
        response.end(JSON.stringify({ code: 'rate-limited', status: 429, title: 'Slow down' }));
      }, more);
      await expect(api.screenName?.({ body: { name: 'A' } })).rejects.toMatchObject({
        code: 'rate-limited',
        name: 'TryLater',
        retryAfter: Number(asked),
      });
      expect(count).toBe(1);
    });

    test('does not repeat a change without a key', async () => {
      let asked = 0;
      const api = await serve((_, response) => {
        asked += 1;
        response.writeHead(503, { 'Retry-After': '0' }).end();
      });
      const changed = api.patchCase?.({ body: {}, path: { case_id: ID } });
      await expect(changed).rejects.toThrow('HTTP 503');
      expect(asked).toBe(1);
    });

    test('reads pages as one list', async () => {
      const api = await serve((request, response) => {
        const isFirst = !request.url?.includes('cursor=');
        response.setHeader('Content-Type', 'application/json');
        const page = isFirst
          ? { next_cursor: 'c2', screenings: [1, 2] }
          : { next_cursor: null, screenings: [3] };
        response.end(JSON.stringify(page));
      });
      const ask = (cursor?: string) =>
        api.listScreenings?.({ query: { cursor } }) as Promise<object>;
      const rows: unknown[] = [];
      for await (const row of typescript.rowsOf('screenings', ask)) rows.push(row);
      expect(rows).toEqual([1, 2, 3]);
    });

    test('goes on behind the last event when a stream ends', async () => {
      const behind: unknown[] = [];
      const api = await serve((request, response) => {
        behind.push(request.headers['last-event-id']);
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        // The first stream tells where it is, and ends before an alert.
        response.write(`id: ${behind.length}0\nretry: 2000\n\n`);
        if (behind.length === 1) response.end();
        else response.end(`id: ${behind.length}\nevent: aml.alert\ndata: {"n":\ndata: 1}\n\nid: x`);
      });
      const ended = new AbortController();
      const seen: unknown[] = [];
      for await (const { data, id } of api.alerts({ lastEventId: '7', signal: ended.signal })) {
        seen.push([id, data]);
        if (seen.length === 2) break;
      }
      expect([seen, behind]).toEqual([
        [
          ['2', { n: 1 }],
          ['3', { n: 1 }],
        ],
        ['7', '10', '2'],
      ]);
    });

    test('goes on when a service is away for a while', async () => {
      let asked = 0;
      const api = await serve(
        (_, response) => {
          asked += 1;
          if (asked === 1) response.writeHead(503, { 'Retry-After': '0' }).end();
          else if (asked === 2) response.writeHead(502).end('<h1>Bad gateway</h1>');
          else response.writeHead(200).end('id: 1\nevent: aml.alert\ndata: {"n":1}\n\n');
        },
        { retries: 0 },
      );
      const { value } = (await api.alerts({}).next()) as { value: { data: unknown } };
      expect([value.data, asked]).toEqual([{ n: 1 }, 3]);
    });

    test('sends a stream as it is read', async () => {
      const got: Buffer[] = [];
      const api = await serve(async (request, response) => {
        for await (const chunk of request) got.push(chunk as Buffer);
        response.end('{"batch_id":"b"}');
      });
      const body = new Blob(['name\n', 'A\n']).stream();
      const upload = { body, contentType: 'text/csv', path: '/v1/sanctions/screen/batch' };
      expect(await api.upload(upload)).toEqual({ batch_id: 'b' });
      expect(Buffer.concat(got).toString()).toBe('name\nA\n');
    });
  });

  const { vectors } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../docs/webhook-vectors.json'), 'utf8'),
  ) as { vectors: readonly Vector[] };

  interface Vector {
    readonly name: string;
    readonly secret: string;
    readonly header: string;
    readonly body: string;
    readonly now_s: number;
    readonly genuine: boolean;
  }

  test.each(vectors)('TypeScript judges a webhook: $name', async (vector) => {
    const headers = { 'X-Service-Signature': vector.header };
    const judged = typescript
      .verifyWebhook({ body: vector.body, headers }, [vector.secret], vector.now_s)
      .then(
        () => true,
        () => false,
      );
    expect(await judged).toBe(vector.genuine);
  });

  test('both give every code the same class, and none is without one', async () => {
    const { problemOf } = (await import(join(folder, 'problem.js'))) as {
      problemOf: (body: object, answer: Response) => Error;
    };
    const rows = codesOf(PROBLEMS).map((code) => ({ code, status: PROBLEMS[code].status }));
    const classes = rows.map(({ code, status }) => {
      const document = { code, request_id: 'r', status, title: code };
      return problemOf(document, new Response('', { status })).name;
    });
    const script = `
import httpx, json, sys
from compliance_client.problems import Problem, raise_for_problem
for row in json.load(sys.stdin):
    try:
        raise_for_problem(httpx.Response(row["status"], json={**row, "title": "t"}))
    except Problem as problem:
        print(type(problem).__name__)
`;
    expect(runPython(python, script, rows)).toEqual(classes);
    expect(classes).not.toContain('Problem');
    const inProgress = rows.findIndex(({ code }) => code === 'idempotency-key-in-progress');
    expect(classes[inProgress]).toBe('TryLater');
  });

  test('Python judges webhooks alike', () => {
    const script = `
import json, sys
from compliance_client import ForgedWebhook, verify_webhook
for v in json.load(sys.stdin):
    try:
        headers = {"x-service-signature": v["header"]}
        verify_webhook(v["body"].encode(), headers, [v["secret"]], v["now_s"])
        print("genuine")
    except ForgedWebhook:
        print("forged")
`;
    const expected = vectors.map(({ genuine }) => (genuine ? 'genuine' : 'forged'));
    expect(runPython(python, script, vectors)).toEqual(expected);
  });
});

function askPython(path: string, url: string, orders: readonly object[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, 'everyOperation.py');
    const options = { env: { ...process.env, PYTHONPATH: path }, maxBuffer: 2 ** 24 };
    const child = execFile(PYTHON, [script, url], options, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout));
      else reject(new Error(`${stderr}`));
    });
    child.stdin?.end(JSON.stringify(orders));
  });
}
