/**
 * The drafts of a pacs.008 message to canonical transactions: values of the group header hold for
 * each, the control figures must be those of what came, and each gets its id.
 */
import { DomainError } from '#core/kernel';
import { bic8, legsOf, qualityOfSides } from './messageLegs.ts';
import { withoutZeros } from './pacs008Schema.ts';
import type { Draft } from './pathTree.ts';
import { type ReadPacs008, readPacs008 } from './readPacs008.ts';
import { settleTransaction } from './settleTransaction.ts';
import type { Agent, ReadingContext, ReadTransactions, Refusal } from './transaction.ts';

/** Decimal numbers of XML have at most this many digits after their point. */
const SUM_DIGITS = 17;
/** A zone may stand behind a date of XML. */
const DATE_CHARS = 10;

/** Throws what `readPacs008` throws; refusals are of single transactions. */
export function pacs008Transactions(bytes: Uint8Array, context: ReadingContext): ReadTransactions {
  const message = readPacs008(bytes);
  checkControls(message);
  const transactions: ReadTransactions['transactions'][number][] = [];
  const refusals: Refusal[] = [];
  for (const [index, own] of message.transactions.entries()) {
    for (const leg of legsOf(draftOf(message, own), context)) {
      const settled = settleTransaction(leg, context);
      if ('transaction' in settled) transactions.push({ index, transaction: settled.transaction });
      else refusals.push(...settled.violations.map((violation) => ({ index, ...violation })));
    }
  }
  return { refusals, transactions };
}

function draftOf(message: ReadPacs008, own: Draft): Draft {
  const { control: _control, created, ...group } = message.group;
  const { accepted, settled, ...rest } = own;
  const draft: Draft = {
    ...group,
    ...rest,
    occurred_at: accepted ?? settled ?? created,
    references: { ...(group.references as object), ...(own.references as object) },
  };
  if (typeof draft.value_date === 'string') {
    draft.value_date = draft.value_date.slice(0, DATE_CHARS);
  }
  for (const name of ['amount', 'exchange_rate']) plainDecimal(draft, name);
  plainDecimal(draft.instructed, 'amount');
  const { items } = (draft.charges ?? {}) as { readonly items?: readonly Draft[] };
  for (const item of items ?? []) plainDecimal(item, 'amount');
  draft.tx_id = idOf(message, draft);
  const quality = qualityOfSides(draft);
  if (!message.hasNamespace) quality.push('no-namespace');
  return quality.length === 0 ? draft : { ...draft, quality };
}

/** XML allows a sign, and no digit on one side of the point. */
function plainDecimal(holder: unknown, name: string): void {
  const draft = holder as Draft | undefined;
  const text = draft?.[name];
  if (draft === undefined || typeof text !== 'string') return;
  const [whole = '', fraction = ''] = text.replace(/^\+/, '').split('.');
  const kept = withoutZeros(fraction);
  draft[name] = `${whole === '' ? '0' : whole}${kept === '' ? '' : `.${kept}`}`;
}

/**
 * A forwarded payment keeps its UETR, so the two banks of this hop are part of the id; without a
 * UETR the ids of the sender are all that there is.
 */
function idOf({ from, group, to }: ReadPacs008, draft: Draft): string {
  const sender = (draft.instructing_agent as Agent | undefined)?.bic ?? from ?? '-';
  const receiver = (draft.instructed_agent as Agent | undefined)?.bic ?? to ?? '-';
  if (draft.uetr !== undefined) return `${draft.uetr}:${bic8(sender)}:${bic8(receiver)}`;
  const ids = (draft.references ?? {}) as Readonly<Record<string, string>>;
  const own = ids.tx_id ?? draft.instruction_id ?? draft.end_to_end_id;
  const { message_id } = group.references as Readonly<Record<string, string>>;
  return `${bic8(sender)}:${message_id}:${own}`;
}

/** Counts and sums that a sender gives wrongly are of another message than this one. */
function checkControls({ group, transactions, version }: ReadPacs008): void {
  const lying = (element: string, code: string, detail: string): DomainError => {
    const message = version === '01' ? 'pacs.008.001.01' : 'FIToFICstmrCdtTrf';
    const pointer = `/Document/${message}/GrpHdr/${element}`;
    return new DomainError('message-invalid', {
      detail: `${pointer}: ${detail}`,
      violations: [{ code, detail, pointer }],
    });
  };
  const { count, sum, total } = (group.control ?? {}) as Readonly<Record<string, string>>;
  if (count !== undefined && BigInt(count) !== BigInt(transactions.length)) {
    throw lying('NbOfTxs', 'control-count', `expected the number of transactions`);
  }
  if (sum === undefined && total === undefined) return;
  const found = transactions.reduce((all, { amount }) => all + scaled(String(amount)), 0n);
  for (const [name, told] of [
    ['CtrlSum', sum],
    ['TtlIntrBkSttlmAmt', total],
  ] as const) {
    if (told === undefined || scaled(told) === found) continue;
    throw lying(name, 'control-sum', 'expected the sum of the amounts');
  }
}

function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.replace(/^\+/, '').split('.');
  return BigInt(`${whole}${fraction.slice(0, SUM_DIGITS).padEnd(SUM_DIGITS, '0')}`);
}
