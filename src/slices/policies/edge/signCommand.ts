/**
 * `policy sign`: one of the two signatures, made where the signer's private key is. Needs no
 * installation: it reads the draft as `policy show --json` or the API gave it, and shows what is
 * signed.
 */
import { EXIT } from '../../../cli/command.ts';
import { SIGN_OPTIONS } from '../../../cli/signOptions.ts';
import type { SliceCommand } from '../../processes.ts';

export const signCommand: SliceCommand = {
  words: 'policy sign',
  summary: 'Sign a draft that `policy show --json` printed: prints the signature',
  options: SIGN_OPTIONS,
  positionals: [{ name: 'FILE', help: 'the draft, as JSON' }],
  example: 'policy sign --key me.pem --signer 0190… policy.json --json',
  async run({ clock, output }, given) {
    const { readShownDraft } = await import('./documents.ts');
    const { signatureLines, signShown } = await import('../../../cli/signatures.ts');
    const { signing } = await readShownDraft(given.positionals[0] ?? '');
    const signed = await signShown({ clock }, given, signing);
    const { content_hash: hash, version } = signing.new_value;
    output.result(
      signed,
      [`version   ${version}`, `content   ${hash}`, ...signatureLines(signed)].join('\n'),
    );
    return EXIT.done;
  },
};
