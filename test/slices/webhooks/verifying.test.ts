/**
 * Verification of calls: the cases of docs/webhook-vectors.json by our own receiver, by Python's
 * hmac, by openssl and by each sample of docs/webhooks.md, as it stands there; and the published
 * verifiers of Standard Webhooks, which must accept what we send.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, test } from 'vitest';
import { refusalOf, secretSigner, secretText, signMessage, TOLERANCE_S } from '#slices/webhooks';

const DOCS = new URL('../../../docs/', import.meta.url).pathname;
const VENV = new URL('../../../.cache/webhooks/bin/python', import.meta.url).pathname;
const FLIPS = 10_000;

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly header: string;
  readonly body: string;
  readonly now_s: number;
  readonly genuine: boolean;
  readonly webhook_id: string;
  readonly webhook_timestamp: string;
  readonly webhook_signature: string;
}
const { vectors } = JSON.parse(readFileSync(join(DOCS, 'webhook-vectors.json'), 'utf8')) as {
  readonly vectors: readonly Vector[];
};
const page = readFileSync(join(DOCS, 'webhooks.md'), 'utf8');
const sample = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'webhook-samples-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));

const hasTool = (word: string, ...args: readonly string[]): boolean => {
  const isHere = spawnSync(word, args).status === 0;
  if (!isHere) console.warn(`SKIPPED: ${word} is not in PATH, so its sample was not run`);
  return isHere;
};

/** One line a case: secret, header, body in base64, the receiver's second. */
const input = vectors
  .map((one) =>
    [one.secret, one.header, Buffer.from(one.body).toString('base64'), one.now_s].join('\t'),
  )
  .join('\n');
const expected = vectors.map(({ genuine }) => genuine);

function verdicts({ error, status, stderr, stdout }: SpawnSyncReturns<string>): boolean[] {
  expect([error, status], stderr).toEqual([undefined, 0]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().toLowerCase() === 'true');
}

const run = (file: string, args: readonly string[], env = process.env) =>
  verdicts(spawnSync(file, args, { cwd: folder, encoding: 'utf8', env, input }));

test('twenty cases, and our own receiver takes those that are genuine', () => {
  expect(vectors).toHaveLength(20);
  for (const { body, genuine, header, name, now_s: nowS, secret } of vectors) {
    expect(refusalOf({ body, header, nowS, secret }) === undefined, name).toBe(genuine);
  }
});

describe('the samples of docs/webhooks.md, as they stand', () => {
  test('TypeScript', () => {
    writeFileSync(join(folder, 'sample.ts'), sample('ts'));
    writeFileSync(
      join(folder, 'main.ts'),
      `import { readFileSync } from 'node:fs';
       import { isGenuine } from './sample.ts';
       for (const line of readFileSync(0, 'utf8').split('\\n')) {
         const [secret, header, body, now] = line.split('\\t');
         console.log(isGenuine(secret, header, Buffer.from(body, 'base64'), Number(now)));
       }`,
    );
    expect(run(process.execPath, ['--disable-warning=ExperimentalWarning', 'main.ts'])).toEqual(
      expected,
    );
  });

  test.skipIf(!hasTool('python3', '--version'))('Python', () => {
    const main = `${sample('python')}
import sys
for line in sys.stdin.read().split("\\n"):
    secret, header, body, now = line.split("\\t")
    print(is_genuine(secret, header, base64.b64decode(body), int(now)))
`;
    writeFileSync(join(folder, 'main.py'), main);
    expect(run('python3', ['main.py'])).toEqual(expected);
  });

  test.skipIf(!hasTool('go', 'version'))(
    'Go',
    () => {
      writeFileSync(join(folder, 'go.mod'), 'module webhook\n\ngo 1.18\n');
      const program = sample('go')
        .replace('package webhook', 'package main')
        .replace('import (', 'import (\n\t"bufio"\n\t"fmt"\n\t"os"');
      const main = `${program}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\\t")
		body, _ := base64.StdEncoding.DecodeString(parts[2])
		now, _ := strconv.ParseInt(parts[3], 10, 64)
		fmt.Println(IsGenuine(parts[0], parts[1], body, now))
	}
}
`;
      writeFileSync(join(folder, 'main.go'), main);
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      expect(run('go', ['run', 'main.go'], env)).toEqual(expected);
    },
    120_000,
  );

  test.skipIf(!hasTool('java', '-version'))(
    'Java',
    () => {
      const main = sample('java').replace(
        'class Webhook {',
        `class Webhook {
  public static void main(String[] args) throws Exception {
    for (String line : new String(System.in.readAllBytes()).split("\\n")) {
      String[] parts = line.split("\\t");
      byte[] body = Base64.getDecoder().decode(parts[2]);
      System.out.println(isGenuine(parts[0], parts[1], body, Long.parseLong(parts[3])));
    }
  }
`,
      );
      writeFileSync(join(folder, 'Webhook.java'), main);
      expect(run('java', ['Webhook.java'])).toEqual(expected);
    },
    120_000,
  );
});

test.skipIf(!hasTool('openssl', 'version'))('openssl makes the same signatures', () => {
  for (const { body, genuine, header, secret } of vectors) {
    const key = Buffer.from(secret.slice(6), 'base64').toString('hex');
    const words = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-r'];
    const t = header.split(',')[0]?.slice(2);
    const { stdout } = spawnSync('openssl', words, { encoding: 'utf8', input: `${t}.${body}` });
    if (genuine) expect(header).toContain(`v1=${stdout.slice(0, 64)}`);
  }
});

describe('one bit, one second', () => {
  const secret = secretText(randomBytes(32));
  const body = JSON.stringify({ data: { batch_id: 'b-1' }, event: 'aml.batch.completed' });
  const timestampUnix = 1_795_392_000;
  const { service: header } = signMessage([secretSigner(1, secret)], {
    body,
    eventId: 'e',
    timestampUnix,
  });

  test.each([
    [TOLERANCE_S, undefined],
    [TOLERANCE_S - 1, undefined],
    [TOLERANCE_S + 1, 'too-old'],
    [-TOLERANCE_S, undefined],
    [-TOLERANCE_S + 1, undefined],
    [-TOLERANCE_S - 1, 'too-new'],
  ])('%d s after the signature: %s', (afterS, refusal) => {
    expect(TOLERANCE_S).toBe(300);
    expect(refusalOf({ body, header, nowS: timestampUnix + afterS, secret })).toBe(refusal);
  });

  test('10,000 calls with one bit turned in body or time are refused, all of them', () => {
    const bytes = Buffer.from(body);
    const time = Buffer.from(String(timestampUnix));
    const places = (bytes.length + time.length) * 8;
    let taken = 0;
    for (let number = 0; number < FLIPS; number++) {
      const place = (number * 7_919) % places;
      const [turned, other] = [Buffer.from(bytes), Buffer.from(time)];
      const [of, at] =
        place < bytes.length * 8 ? [turned, place] : [other, place - bytes.length * 8];
      of.writeUInt8(of.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
      const changed = header.replace(String(timestampUnix), other.toString('latin1'));
      // Whatever second the receiver would need to take it.
      const nowS = Number(other.toString('latin1')) || timestampUnix;
      const call = { body: turned.toString('latin1'), header: changed, nowS, secret };
      if (refusalOf(call) === undefined) taken++;
    }
    expect(taken).toBe(0);
    expect(refusalOf({ body, header, nowS: timestampUnix, secret })).toBeUndefined();
  });
});

test.each([
  ['', 'header-malformed'],
  ['t=', 'header-malformed'],
  ['t=1795392000', 'header-malformed'],
  ['v1=aa', 'header-malformed'],
  ['t=abc,v1=aa', 'header-malformed'],
  [`t=1795392000,v1=${'0'.repeat(63)}`, 'header-malformed'],
  [`t=1795392000,v1=${'A'.repeat(64)}`, 'header-malformed'],
  [`t=1795392000, v1=${'0'.repeat(64)}`, 'header-malformed'],
  [`t=1795392000,v2=${'0'.repeat(64)}`, 'header-malformed'],
  [`t=-1795392000,v1=${'0'.repeat(64)}`, 'header-malformed'],
  [`t=1795392000,v1=${'0'.repeat(64)}`, 'signature-wrong'],
  [`t=1795392000,v1=${'0'.repeat(64)},v1=${'1'.repeat(64)}`, 'signature-wrong'],
])('a header of %j: %s', (header, refusal) => {
  const secret = secretText(randomBytes(32));
  expect(refusalOf({ body: '{}', header, nowS: 1_795_392_000, secret })).toBe(refusal);
});

/** A call of now, with one secret or, in the day after a rotation, two. */
function calls(count: number) {
  return Array.from({ length: count }, (_, number) => {
    const secrets = [1, 2].map(() => secretText(randomBytes(32)));
    const body = JSON.stringify({ data: { text: randomBytes(number % 50).toString('base64') } });
    const eventId = crypto.randomUUID();
    const timestampUnix = Math.floor(Date.now() / 1_000);
    const signers = secrets.slice(0, 1 + (number % 2)).map((one, at) => secretSigner(2 - at, one));
    const { standard } = signMessage(signers, { body, eventId, timestampUnix });
    const headers = {
      'webhook-id': eventId,
      'webhook-signature': standard,
      'webhook-timestamp': String(timestampUnix),
    };
    return { body, headers, secret: secrets[number % 2] ?? '' };
  });
}

test('the published verifier in JavaScript takes what we send, and nothing changed', () => {
  for (const { body, headers, secret } of calls(200)) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    const later = {
      ...headers,
      'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}`,
    };
    expect(() => new Webhook(secret).verify(body, later)).toThrow();
  }
  for (const vector of vectors) {
    const headers = {
      'webhook-id': vector.webhook_id,
      'webhook-signature': vector.webhook_signature,
      'webhook-timestamp': vector.webhook_timestamp,
    };
    const at = new Date(Number(vector.webhook_timestamp) * 1_000);
    const { standard } = signMessage([secretSigner(1, vector.secret)], {
      body: vector.body,
      eventId: vector.webhook_id,
      timestampUnix: at.getTime() / 1_000,
    });
    expect(headers['webhook-signature'], vector.name).toBe(standard);
  }
});

if (!existsSync(VENV)) {
  console.warn('SKIPPED: Standard Webhooks in Python needs .cache/webhooks (.ci/run makes it)');
}
test.skipIf(!existsSync(VENV))('the published verifier in Python takes what we send', () => {
  const main = `
import json, sys
from standardwebhooks import Webhook
for call in json.load(sys.stdin):
    verifier = Webhook(call["secret"])
    verifier.verify(call["body"], call["headers"])
    try:
        verifier.verify(call["body"] + " ", call["headers"])
        sys.exit("a changed body was taken")
    except Exception:
        pass
print("true")
`;
  const options = { encoding: 'utf8', input: JSON.stringify(calls(200)) } as const;
  expect(verdicts(spawnSync(VENV, ['-c', main], options))).toEqual([true]);
});
