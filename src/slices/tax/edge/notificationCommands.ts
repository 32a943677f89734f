/** `tax notification read`: what the IRS says of a file, where the key is. Nothing is stored. */
import { DomainError } from '#core/kernel';
import { NOTIFICATION_BYTES_MAX, readNotification, type TaxNotification } from '#slices/tax';
import { EXIT } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { KEY, openSigned, TRUSTED } from './packageFiles.ts';
import { presentNotification } from './presentation.ts';

const NOTIFICATION = 'NTF';

export const notificationCommands: readonly SliceCommand[] = [
  {
    words: 'tax notification read',
    summary: 'Open a notification of the IRS, check its signature, and say what follows from it',
    options: [KEY, TRUSTED],
    positionals: [{ name: 'PACKAGE', help: 'the ZIP, as IDES has it' }],
    example: 'tax notification read --key own.pem --certificate irs.crt 840FX44u….zip',
    async run({ output }, given) {
      let text = '';
      const { metadata } = await openSigned(given, given.positionals[0] ?? '', (check) =>
        check((piece) => {
          text += piece;
          if (text.length > NOTIFICATION_BYTES_MAX) {
            throw refused(`at most ${NOTIFICATION_BYTES_MAX} bytes`);
          }
        }),
      );
      if (metadata.kind !== NOTIFICATION) throw refused(`a package of ${NOTIFICATION}`);
      const notification = readNotification(text);
      output.result(presentNotification(notification), linesOf(notification));
      return EXIT.done;
    },
  },
];

const refused = (expected: string): DomainError =>
  new DomainError('notification-invalid', { detail: `expected ${expected}` });

function linesOf(notification: TaxNotification): string {
  const { code, effect, meaning = 'not known', recordErrors, senderFileId } = notification;
  const because = 'because' in effect ? `: ${effect.because}` : '';
  const next = 'nextStep' in effect ? [`next: ${effect.nextStep}`] : [];
  const errors = recordErrors.map((error) => [
    printable(error.docRefId),
    error.code,
    error.meaning ?? 'not known',
    error.fields.map(({ name }) => printable(name)).join(', '),
  ]);
  return [
    `${printable(senderFileId)}: ${code} (${meaning}), ${effect.status}${because}`,
    ...next,
    ...(errors.length > 0 ? [table(['RECORD', 'CODE', 'MEANING', 'FIELDS'], errors)] : []),
  ].join('\n');
}
