/** `str validate`: hands in the signature of a data protection officer. */
import { DomainError, type TenantId } from '#core/kernel';
import { validateReport } from '#slices/str';
import { EXIT } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';
import { readJson } from './jsonFile.ts';
import { deskOf } from './parts.ts';
import { presentChanged } from './presentation.ts';

export const validateCommand: SliceCommand = {
  words: 'str validate',
  summary: 'Hand in what `str sign` printed: the report is validated by that officer',
  options: [
    { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
    { name: 'signature', value: 'FILE', required: true, help: 'as `str sign --json` printed it' },
    {
      name: 'special-categories',
      value: 'WHY',
      help: 'data of special categories are in it, and this is why',
    },
  ],
  positionals: [{ name: 'ID', help: 'a report, of `str list`' }],
  example: 'str validate --tenant 0190… 0191… --signature signed.json',
  async run({ actor, open, output }, given) {
    const { signature, signer, timestamp } = signedIn(await readJson(given.value('signature')));
    const process = await open();
    const reason = given.optional('special-categories');
    const report = await validateReport(deskOf(process), {
      checklist: {
        necessity: true,
        retention: true,
        special_categories: reason === undefined ? 'none' : 'justified',
      },
      principal: { actor, kind: 'cli' },
      signature,
      signer,
      strId: given.positionals[0] ?? '',
      tenantId: given.value('tenant') as TenantId,
      timestamp,
      ...(reason !== undefined && { reason }),
    });
    const shown = presentChanged(report);
    output.result(shown, `${shown.str_id} ${shown.status}`);
    return EXIT.done;
  },
};

type Signed = Readonly<Record<'signature' | 'signer' | 'timestamp', string>>;

function signedIn(value: unknown): Signed {
  const signed = value as Partial<Signed> | null;
  const members = ['signature', 'signer', 'timestamp'] as const;
  if (signed && members.every((name) => typeof signed[name] === 'string')) return signed as Signed;
  throw new DomainError('dual-control-signature-invalid', {
    detail: 'expected signature, signer and timestamp, as `str sign --json` printed them',
  });
}
