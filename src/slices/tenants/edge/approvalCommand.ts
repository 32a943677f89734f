/**
 * `approval sign`: the second signature of a change under dual control, made where the approver's
 * private key is. Needs no installation, no configuration and no network.
 */
import { toTimestamp } from '#platform/clock';
import { signerFromText } from '#platform/crypto';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { EXIT, UsageError } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

const VALUE_DEPTH_MAX = 8;

export const approvalCommands: readonly SliceCommand[] = [
  {
    words: 'approval sign',
    summary: 'Approve a change of somebody else: prints the headers that they send with it',
    options: [
      { name: 'key', value: 'FILE', required: true, help: 'your Ed25519 private key, PKCS#8 PEM' },
      { name: 'approver', value: 'ID', required: true, help: 'your person id' },
      { name: 'author', value: 'ID', required: true, help: 'the person id of who sends it' },
      {
        name: 'resource',
        value: 'NAME',
        required: true,
        help: 'what is changed, e.g. sanctions_source:OFAC_SDN',
      },
      { name: 'field', value: 'NAME', required: true, help: 'its member, e.g. cron_full' },
      { name: 'value', value: 'JSON', required: true, help: 'the new value, as JSON' },
    ],
    example:
      'approval sign --key me.pem --approver 0190… --author 0190… ' +
      '--resource sanctions_source:OFAC_SDN --field enabled --value true',
    async run({ clock, output }, given) {
      const newValue = readValue(given.value('value'));
      const file = given.value('key');
      const signer = signerFromText(await readDocument(file), file);
      const timestamp = toTimestamp(clock.now());
      const [author, approver] = [given.value('author'), given.value('approver')];
      const { approvalMessage } = await import('#core/identity');
      const message = approvalMessage(
        { field: given.value('field'), newValue, resource: given.value('resource') },
        { approver, author, timestamp },
      );
      const headers = {
        'X-User-Id': author,
        'X-Approval-User-Id': approver,
        'X-Approval-Timestamp': timestamp,
        'X-Approval-Signature': Buffer.from(signer.sign(message)).toString('base64'),
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      output.result(headers, lines.join('\n'));
      return EXIT.done;
    },
  },
];

/** As strict as the API is with bodies: both must mean the same value. */
function readValue(text: string): unknown {
  try {
    return parseStrictJson(Buffer.from(text), { depthMax: VALUE_DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`--value: expected JSON, as in '"0 0 2 ? * SUN"': ${error.message}`);
  }
}
