/** `keys public` and `keys rotate`: the keys that an export is verified with. */
import { EXIT } from '../../../cli/command.ts';
import { writeWhole } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

export const keysCommands: readonly SliceCommand[] = [
  {
    words: 'keys public',
    summary: 'Write the public keys of the evidence, with the seq from and until which they held',
    options: [
      { name: 'out', value: 'FILE', required: true, help: 'a JWK set; replaced if it is there' },
    ],
    example: 'keys public --out keys.json',
    async run({ open, output }, given) {
      const { keyRing } = await open();
      const out = given.value('out');
      await writeWhole(out, lines(`${JSON.stringify(keyRing, null, 2)}\n`));
      const keyIds = keyRing.keys.map((key) => key.kid);
      output.result({ file: out, key_ids: keyIds }, `${out}: ${keyIds.join(', ')}`);
      return EXIT.done;
    },
  },
  {
    words: 'keys rotate',
    summary: 'Let the signing key of this environment take over; only while the service is stopped',
    example: 'keys rotate',
    async run({ open, output }) {
      const { signer } = await open({ mayRotateKeys: true });
      output.result(
        { key_id: signer.keyId },
        `evidence is signed with ${signer.keyId} from here on`,
      );
      return EXIT.done;
    },
  },
];

async function* lines(text: string): AsyncGenerator<string> {
  yield text;
}
