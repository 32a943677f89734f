/**
 * `policy sign`: one of the two signatures, made where the signer's private key is. Needs no
 * installation: it reads the draft as `policy show --json` or the API gave it, and shows what is
 * signed.
 */
import { toTimestamp } from '#platform/clock';
import { signerFromText } from '#platform/crypto';
import { EXIT } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

export const signCommand: SliceCommand = {
  words: 'policy sign',
  summary: 'Sign a draft that `policy show --json` printed: prints the signature',
  options: [
    { name: 'key', value: 'FILE', required: true, help: 'your Ed25519 private key, PKCS#8 PEM' },
    { name: 'signer', value: 'ID', required: true, help: 'your person id' },
  ],
  positionals: [{ name: 'FILE', help: 'the draft, as JSON' }],
  example: 'policy sign --key me.pem --signer 0190… policy.json --json',
  async run({ clock, output }, given) {
    const { readShownDraft } = await import('./documents.ts');
    const { approvalMessage } = await import('#core/identity');
    const { signing } = await readShownDraft(given.positionals[0] ?? '');
    const file = given.value('key');
    const key = signerFromText(await readDocument(file), file);
    const timestamp = toTimestamp(clock.now());
    const signer = given.value('signer');
    const message = approvalMessage(
      { field: signing.field, newValue: signing.new_value, resource: signing.resource },
      { approver: signer, author: signing.author, timestamp },
    );
    const signature = Buffer.from(key.sign(message)).toString('base64');
    const { content_hash: hash, version } = signing.new_value;
    output.result(
      { signature, signer, timestamp },
      [
        `version   ${version}`,
        `content   ${hash}`,
        `signer    ${signer}`,
        `timestamp ${timestamp}`,
        `signature ${signature}`,
      ].join('\n'),
    );
    return EXIT.done;
  },
};
