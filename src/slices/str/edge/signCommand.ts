/**
 * `str sign`: a data protection officer's signature, made where the private key is. It needs no
 * installation, and shows what is signed.
 */
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { signerFromText } from '#platform/crypto';
import { EXIT } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { readJson } from './jsonFile.ts';

interface Signing {
  readonly author: string;
  readonly field: string;
  readonly new_value: string;
  readonly resource: string;
}

export const signCommand: SliceCommand = {
  words: 'str sign',
  summary: 'Sign a report that the API showed: prints the signature',
  options: [
    { name: 'key', value: 'FILE', required: true, help: 'your Ed25519 private key, PKCS#8 PEM' },
    { name: 'signer', value: 'ID', required: true, help: 'your person id' },
  ],
  positionals: [{ name: 'FILE', help: 'the report, as `GET /v1/aml/str/{str_id}` gives it' }],
  example: 'str sign --key me.pem --signer 0190… report.json --json',
  async run({ clock, output }, given) {
    const { approvalMessage } = await import('#core/identity');
    const signing = signingIn(await readJson(given.positionals[0] ?? ''));
    const file = given.value('key');
    const key = signerFromText(await readDocument(file), file);
    const timestamp = toTimestamp(clock.now());
    const signer = given.value('signer');
    const { author, field, new_value: newValue, resource } = signing;
    const message = approvalMessage(
      { field, newValue, resource },
      { approver: signer, author, timestamp },
    );
    const signature = Buffer.from(key.sign(message)).toString('base64');
    output.result(
      { signature, signer, timestamp },
      [`content   ${newValue}`, `timestamp ${timestamp}`, `signature ${signature}`].join('\n'),
    );
    return EXIT.done;
  },
};

function signingIn(value: unknown): Signing {
  const signing = (value as { readonly signing?: Partial<Signing> | null } | null)?.signing;
  const members = ['author', 'field', 'new_value', 'resource'] as const;
  if (signing && members.every((name) => typeof signing[name] === 'string')) {
    return signing as Signing;
  }
  throw new DomainError('str-content-invalid', {
    detail: 'signing: expected a report that waits for validation, as the API showed it',
  });
}
