/**
 * `form sign`: one of the two signatures, made where the signer's private key is. Needs no
 * installation: it reads one version as the API or `form show … --json` gave it.
 */
import { definitionHash, type FormDefinition } from '#slices/forms';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { SIGN_OPTIONS } from '../../../cli/signOptions.ts';
import type { SliceCommand } from '../../processes.ts';

/** The members of a version that are signed, and the definition beside them. */
interface ShownVersion {
  readonly code: string;
  readonly languages: FormDefinition['languages'];
  readonly schema: FormDefinition['schema'];
  readonly version: string;
  readonly signing: {
    readonly author: string;
    readonly field: string;
    readonly new_value: {
      readonly base_version: string | null;
      readonly content_hash: string;
      readonly version: string;
    };
    readonly resource: string;
  } | null;
}

export const signCommand: SliceCommand = {
  words: 'form sign',
  summary: 'Sign a draft that `form show --json` gave: prints the signature',
  options: SIGN_OPTIONS,
  positionals: [{ name: 'FILE', help: 'the version, as JSON' }],
  example: 'form sign --key me.pem --signer 0190… draft.json --json',
  async run({ clock, output }, given) {
    const { readJsonFile, signatureLines, signShown } = await import('../../../cli/signatures.ts');
    const file = given.positionals[0] ?? '';
    const shown = (await readJsonFile(file)) as Partial<ShownVersion> | null;
    const { code, languages, schema, signing, version } = shown ?? {};
    if (code === undefined || languages === undefined || schema === undefined) {
      throw new UsageError(`${file}: expected a version of a form, with code and schema`);
    }
    if (signing === undefined || signing === null) {
      throw new UsageError(`${file}: expected a draft, with what is signed of it`);
    }
    const digest = definitionHash({ code, languages, schema: { steps: schema.steps } });
    const told = signing.new_value.content_hash;
    if (told !== digest) {
      throw new UsageError(`${file}: content_hash: expected the hash of the schema beside it`);
    }
    const signed = await signShown({ clock }, given, signing);
    const rows = [`form      ${code} ${version}`, `content   ${digest}`, ...signatureLines(signed)];
    output.result(signed, rows.join('\n'));
    return EXIT.done;
  },
};
