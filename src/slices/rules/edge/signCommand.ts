/**
 * `rule sign`: one of the two signatures, made where the signer's private key is. Needs no
 * installation: it reads one version as the API or `rule list --rule … --json` gave it.
 */
import { contentHash, type Rule } from '#slices/rules';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { SIGN_OPTIONS } from '../../../cli/signOptions.ts';
import type { SliceCommand } from '../../processes.ts';

/** The members of a version that are signed, and the content beside them. */
interface ShownVersion {
  readonly rule_id: string;
  readonly version: number;
  readonly content: Rule;
  readonly signing: {
    readonly author: string;
    readonly field: string;
    readonly new_value: {
      readonly base_version: number;
      readonly content_hash: string;
      readonly version: number;
    };
    readonly resource: string;
  } | null;
}

export const signCommand: SliceCommand = {
  words: 'rule sign',
  summary: 'Sign a version that `rule list --json` or the API gave: prints the signature',
  options: [
    ...SIGN_OPTIONS,
    { name: 'version', value: 'N', help: 'which, of several in the file (default: the last)' },
  ],
  positionals: [{ name: 'FILE', help: 'the version, or the list of versions, as JSON' }],
  example: 'rule sign --key me.pem --signer 0190… rule.json --json',
  async run({ clock, output }, given) {
    const { readJsonFile, signatureLines, signShown } = await import('../../../cli/signatures.ts');
    const file = given.positionals[0] ?? '';
    const { content, rule_id, signing } = versionIn(
      await readJsonFile(file),
      given.optional('version'),
      file,
    );
    if (signing === null) throw new UsageError(`${file}: expected a version not yet in force`);
    if (signing.new_value.content_hash !== contentHash(content)) {
      throw new UsageError(`${file}: content_hash: expected the hash of the content beside it`);
    }
    const signed = await signShown({ clock }, given, signing);
    const rows = [
      `rule      ${rule_id} ${signing.new_value.version}`,
      `content   ${signing.new_value.content_hash}`,
      ...signatureLines(signed),
    ];
    output.result(signed, rows.join('\n'));
    return EXIT.done;
  },
};

function versionIn(value: unknown, wanted: string | undefined, file: string): ShownVersion {
  const isObject = typeof value === 'object' && value !== null;
  const listed = isObject && 'rules' in value ? (value.rules as readonly ShownVersion[]) : [value];
  const found = listed.findLast(
    (one) => wanted === undefined || String((one as ShownVersion).version) === wanted,
  ) as Partial<ShownVersion> | undefined;
  if (found?.content !== undefined && found.signing !== undefined) return found as ShownVersion;
  throw new UsageError(`${file}: expected a version of a rule, with content and signing`);
}
