/**
 * `list sign`: signs a publisher's file for an installation without a network, where the file is
 * checked and not where it is taken in. Needs no installation, no configuration and no network.
 */
import { createHash } from 'node:crypto';
import { publicJwk, signerFromText } from '#platform/crypto';
import { listFileMessage } from '#slices/lists';
import { EXIT } from '../../../cli/command.ts';
import { openInput, readDocument, writeWhole } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

export const signFileCommands: readonly SliceCommand[] = [
  {
    words: 'list sign',
    summary: 'Sign a list file for an installation without a network: writes FILE.sig beside it',
    options: [
      { name: 'key', value: 'KEY', required: true, help: 'an Ed25519 private key, PKCS#8 PEM' },
      { name: 'file', value: 'FILE', required: true, help: 'as the publisher gives it out' },
    ],
    example: 'list sign --key house.pem --file bct.xlsx',
    async run({ output }, given) {
      const [keyFile, file] = [given.value('key'), given.value('file')];
      const signer = signerFromText(await readDocument(keyFile), keyFile);
      const hash = createHash('sha256');
      for await (const chunk of (await openInput(file)).chunks) hash.update(chunk);
      const signature = signer.sign(listFileMessage(hash.digest('hex')));
      const sig = `${file}.sig`;
      await writeWhole(sig, line(Buffer.from(signature).toString('base64')));
      const key = publicJwk(signer.publicKey);
      const shown = `${sig}\nfor AIR_GAP_KEYS_FILE, among its "keys":\n${JSON.stringify(key)}`;
      output.result({ file: sig, key }, shown);
      return EXIT.done;
    },
  },
];

async function* line(text: string): AsyncGenerator<string> {
  yield `${text}\n`;
}
