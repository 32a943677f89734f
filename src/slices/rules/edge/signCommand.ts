/**
 * `rule sign`: one of the two signatures, made where the signer's private key is. Needs no
 * installation: it reads one version as the API or `rule list --rule … --json` gave it.
 */
import { toTimestamp } from '#platform/clock';
import { signerFromText } from '#platform/crypto';
import { contentHash, type Rule } from '#slices/rules';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
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
    { name: 'key', value: 'FILE', required: true, help: 'your Ed25519 private key, PKCS#8 PEM' },
    { name: 'signer', value: 'ID', required: true, help: 'your person id' },
    { name: 'version', value: 'N', help: 'which, of several in the file (default: the last)' },
  ],
  positionals: [{ name: 'FILE', help: 'the version, or the list of versions, as JSON' }],
  example: 'rule sign --key me.pem --signer 0190… rule.json --json',
  async run({ clock, output }, given) {
    const { readJsonFile } = await import('./documents.ts');
    const { approvalMessage } = await import('#core/identity');
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
    const keyFile = given.value('key');
    const key = signerFromText(await readDocument(keyFile), keyFile);
    const timestamp = toTimestamp(clock.now());
    const signer = given.value('signer');
    const message = approvalMessage(
      { field: signing.field, newValue: signing.new_value, resource: signing.resource },
      { approver: signer, author: signing.author, timestamp },
    );
    const signature = Buffer.from(key.sign(message)).toString('base64');
    const rows = [
      `rule      ${rule_id} ${signing.new_value.version}`,
      `content   ${signing.new_value.content_hash}`,
      `signer    ${signer}`,
      `timestamp ${timestamp}`,
      `signature ${signature}`,
    ];
    output.result({ signature, signer, timestamp }, rows.join('\n'));
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
