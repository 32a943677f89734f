/** Secrets at rest: opened with their key, for their purpose, unchanged; else refused. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '#platform/config';
import { systemRandom } from '#platform/random';
import { ensureSecretBox, SecretUnreadable, secretBox } from '#platform/secretBox';

const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const TEXT = 'whsec_é';

describe('a secret box', () => {
  const box = secretBox([KEY], systemRandom);

  test('opens what it sealed, and never seals alike', () => {
    const sealed = box.seal(TEXT, 'a');
    expect(box.open(sealed, 'a')).toBe(TEXT);
    expect(box.seal(TEXT, 'a')).not.toBe(sealed);
    expect(sealed).not.toContain('whsec');
  });

  test('refuses another purpose, another key, and every changed byte', () => {
    const sealed = box.seal(TEXT, 'a');
    expect(() => box.open(sealed, 'b')).toThrow(SecretUnreadable);
    expect(() => secretBox([OTHER], systemRandom).open(sealed, 'a')).toThrow(SecretUnreadable);
    const [version = '', id = '', payload = ''] = sealed.split('.');
    const bytes = Buffer.from(payload, 'base64url');
    for (let place = 0; place < bytes.length; place++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      const text = `${version}.${id}.${changed.toString('base64url')}`;
      expect(() => box.open(text, 'a')).toThrow(SecretUnreadable);
    }
    for (const text of ['', 'v1', `v2.${id}.${payload}`, `v1.${id}.`, TEXT]) {
      expect(() => box.open(text, 'a')).toThrow(SecretUnreadable);
    }
  });

  test('a key on top seals, and the one below still opens', () => {
    const before = box.seal(TEXT, 'a');
    const after = secretBox([OTHER, KEY], systemRandom);
    expect(after.open(before, 'a')).toBe(TEXT);
    const sealed = after.seal(TEXT, 'a');
    expect(secretBox([OTHER], systemRandom).open(sealed, 'a')).toBe(TEXT);
  });
});

describe('the key file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-box-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is made once, for its owner alone, and read by every process', () => {
    const defaultFile = join(folder, 'keys', 'secrets.key');
    const sealed = ensureSecretBox({ defaultFile, random: systemRandom }).seal(TEXT, 'a');
    expect(statSync(defaultFile).mode & 0o777).toBe(0o600);
    const text = readFileSync(defaultFile, 'utf8');
    expect(ensureSecretBox({ defaultFile, random: systemRandom }).open(sealed, 'a')).toBe(TEXT);
    expect(readFileSync(defaultFile, 'utf8')).toBe(text);
  });

  test('an operator’s file that is no list of keys stops the start, and is not quoted', () => {
    const file = join(folder, 'mine');
    const open = () => ensureSecretBox({ defaultFile: file, file, random: systemRandom });
    expect(open).toThrow(ConfigError);
    for (const text of ['', '\n', 'hunter2', Buffer.alloc(31).toString('base64')]) {
      writeFileSync(file, text);
      expect(open).toThrow(/^SECRETS_KEY_FILE: expected lines of 32 random bytes in base64/);
      expect(open).not.toThrow(/hunter2/);
    }
  });
});
