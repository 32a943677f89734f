/**
 * What is written by hand in the Python client, against a real server: keys, repeats and their
 * bounds, streams, uploads.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildPython, isInstalled, PYTHON } from './builtClients.ts';

const CONNECTED = `
import json, sys
from compliance_client import *
api = connect(sys.argv[1], api_key="cp_test_x", **json.loads(sys.argv[2]))
`;
const SCREEN = `
from compliance_client.generated.api.sanctions import screen_name
from compliance_client.generated.models import ScreenNameRequest
try:
    screen_name.sync_detailed(client=api, body=ScreenNameRequest(name="A"))
    print("done")
except Problem as problem:
    print(type(problem).__name__, problem.code, problem.retry_after)
`;

describe.skipIf(!isInstalled)('the client in Python', () => {
  let python = '';
  let stop: () => void = () => undefined;

  beforeAll(() => {
    python = buildPython();
  }, 600_000);

  afterEach(() => stop());

  async function run(
    script: string,
    listener: (request: IncomingMessage, response: ServerResponse) => void,
    options: object = {},
  ): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stop = () => {
      server.close();
      server.closeAllConnections();
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ...process.env, PYTHONPATH: python };
    const words = ['-c', `${CONNECTED}${script}`, url, JSON.stringify(options)];
    return (await promisify(execFile)(PYTHON, words, { env })).stdout.trim();
  }

  const refuse = (response: ServerResponse, code: string, status: number, after: string): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': after });
    response.end(JSON.stringify({ code, status, title: code }));
  };

  test('sends again what was not done or is in progress, under one key', async () => {
    const keys: unknown[] = [];
    const said = await run(SCREEN, (request, response) => {
      keys.push(request.headers['idempotency-key']);
      if (keys.length === 1) request.socket.destroy();
      else if (keys.length === 2) refuse(response, 'idempotency-key-in-progress', 409, '0');
      else if (keys.length === 3) refuse(response, 'not-ready', 503, '0');
      else refuse(response, 'body-invalid', 400, '');
    });
    expect(said).toBe('InvalidRequest body-invalid None');
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('tells what was altered from what somebody else was first with', async () => {
    const listener = (_: IncomingMessage, response: ServerResponse): void =>
      refuse(response, 'state-altered', 409, '');
    expect(await run(SCREEN, listener)).toBe('Locked state-altered None');
  });

  test.each([
    ['a wait beyond the bound', '31', {}],
    ['a wait beyond the deadline', '2', { retry_for_s: 1 }],
  ])('hands %s to the caller at once', async (_, after, options) => {
    let asked = 0;
    const listener = (_: IncomingMessage, response: ServerResponse): void => {
      asked += 1;
      refuse(response, 'rate-limited', 429, after);
    };
    expect(await run(SCREEN, listener, options)).toBe(`TryLater rate-limited ${after}`);
    expect(asked).toBe(1);
  });

  test('reads a stream behind its last event, also when the service was away', async () => {
    const behind: unknown[] = [];
    const script = `
for event in alerts(api, "7"):
    print(event.id, json.dumps(event.data))
    if event.id == "3":
        break
`;
    const said = await run(
      script,
      (request, response) => {
        behind.push(request.headers['last-event-id']);
        if (behind.length === 1) return refuse(response, 'not-ready', 503, '0');
        if (behind.length === 2) {
          response.writeHead(502).end('<h1>Bad gateway</h1>');
          return;
        }
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const id = behind.length - 1;
        response.end(`id: ${id}0\n\nid: ${id}\nevent: aml.alert\ndata: {"n":\ndata: 1}\n\nid: x`);
      },
      { retries: 0 },
    );
    expect(said.split('\n')).toEqual(['2 {"n": 1}', '3 {"n": 1}']);
    expect(behind).toEqual(['7', '7', '7', '2']);
  });

  test('sends a file as it is read, once', async () => {
    const got: string[] = [];
    const script = `
import io
path = "/v1/aml/transactions/ingest?format=csv_service"
print(upload(api, path, io.BytesIO(b"name\\nA\\n"), "text/csv"))
`;
    const said = await run(script, async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      got.push(text, String(request.headers['transfer-encoding']));
      response.end('{"batch_id":"b"}');
    });
    expect([said, got]).toEqual(["{'batch_id': 'b'}", ['name\nA\n', 'chunked']]);
  });
});
