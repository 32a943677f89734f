/**
 * MT103 to canonical transactions. A message that is wrong is refused alone, with its place in the
 * file, its line and its tag; fields that the standard does not have are named in `quality` and
 * stay in the raw message.
 */
import { type FinField, type FinMessage, readFin } from './finMessages.ts';
import { sixDigitDate } from './instants.ts';
import { bic8, legsOf, qualityOfSides } from './messageLegs.ts';
import { readMtFields } from './mt103Fields.ts';
import type { Draft } from './pathTree.ts';
import { settleTransaction } from './settleTransaction.ts';
import { BIC, UETR } from './shapes.ts';
import type { ReadingContext, ReadTransactions, Refusal } from './transaction.ts';

const MANDATORY = ['20', '23B', '32A', '50', '59', '71A'] as const;
/** A branch that is none: three times the letter. */
const HEAD_OFFICE = 'X'.repeat(3);
/** An address in blocks 1 and 2: twelve characters, the ninth names a terminal. */
const ADDRESS = /^[A-Z0-9]{12}$/;
const INPUT = /^I(\d{3})([A-Z0-9]{12})/;
const OUTPUT = /^O(\d{3})(\d{4})(\d{6})([A-Z0-9]{12})/;
/** Character set X of the network. */
const CHARSET_X = /^[A-Za-z0-9/\-?:().,'+ {}\r\n]*$/;

type Transactions = ReadTransactions['transactions'][number][];

/** Throws `mt-malformed`. */
export function mt103Transactions(bytes: Buffer, context: ReadingContext): ReadTransactions {
  const transactions: Transactions = [];
  const refusals: Refusal[] = [];
  for (const [index, message] of readFin(bytes).entries()) {
    const refusal = readMessage(message, index, { context, transactions });
    refusals.push(...refusal);
  }
  return { refusals, transactions };
}

function readMessage(
  message: FinMessage,
  index: number,
  {
    context,
    transactions,
  }: { readonly context: ReadingContext; readonly transactions: Transactions },
): readonly Refusal[] {
  const refuse = (pointer: string, code: string, detail: string, line = message.line) => [
    { code, detail, index, line, pointer },
  ];
  const header = headerOf(message);
  if (header === undefined) return refuse('/2', 'format', 'expected blocks 1 and 2 of a message');
  if (header.type !== '103') return refuse('/2', 'mt-type-unsupported', 'expected an MT103');
  if (message.isRefused) return refuse('', 'message-nak', 'expected a message that was accepted');
  if (message.strayLine !== undefined) {
    return refuse('/4', 'format', 'expected a field, `:tag:`', message.strayLine);
  }
  const missing = MANDATORY.find((tag) => !message.fields.some((field) => isOf(field, tag)));
  if (missing !== undefined) return refuse(`/${missing}`, 'missing', `expected field ${missing}`);
  const read = readMtFields(message.fields);
  if ('fault' in read) {
    const { code, detail, line, tag } = read.fault;
    return refuse(`/${tag}`, code, detail, line);
  }
  return legsOf(draftOf(message, header, read.draft), context).flatMap((leg) => {
    const settled = settleTransaction(leg, context);
    if ('violations' in settled) {
      return settled.violations.map((violation) => ({ index, line: message.line, ...violation }));
    }
    transactions.push({ index, transaction: settled.transaction });
    return [];
  });
}

const isOf = ({ tag }: FinField, wanted: string): boolean =>
  tag === wanted || (wanted.length === 2 && wanted !== '20' && tag.startsWith(wanted));

interface Header {
  readonly type: string;
  readonly sender: string;
  readonly receiver: string;
  /** When the network took it; only what was received says so. */
  readonly sentAt?: string;
}

function headerOf({ application, basic }: FinMessage): Header | undefined {
  const own = basic.slice(3, 15);
  if (!ADDRESS.test(own)) return undefined;
  const [, type, receiver] = INPUT.exec(application) ?? [];
  if (type !== undefined && receiver !== undefined) {
    return { receiver: bicOf(receiver), sender: bicOf(own), type };
  }
  const [, sentType, time = '', date = '', sender] = OUTPUT.exec(application) ?? [];
  if (sentType === undefined || sender === undefined) return undefined;
  const day = sixDigitDate(date);
  return {
    receiver: bicOf(own),
    sender: bicOf(sender),
    type: sentType,
    ...(day !== undefined && { sentAt: `${day}T${time.slice(0, 2)}:${time.slice(2)}:00` }),
  };
}

/** The address of a terminal without the letter that names it; three X are the head office. */
function bicOf(address: string): string {
  const branch = address.slice(9);
  return branch === HEAD_OFFICE ? address.slice(0, 8) : `${address.slice(0, 8)}${branch}`;
}

function draftOf(message: FinMessage, header: Header, fields: Draft): Draft {
  const { receiver, sender, sentAt } = header;
  const { quality: found, sent, ...rest } = fields;
  const uetr = message.user.get('121');
  const quality = [...((found ?? []) as readonly string[]), ...qualityOfSides(fields)];
  if (uetr !== undefined && !UETR.test(uetr)) quality.push('uetr-invalid');
  if (!isInCharset(message)) quality.push('charset');
  const { references, value_date } = fields as {
    readonly references: Readonly<Record<string, string>>;
    readonly value_date: string;
  };
  const hasUetr = uetr !== undefined && UETR.test(uetr);
  return {
    ...rest,
    creditor_agent: fields.creditor_agent ?? agentOf(receiver),
    debtor_agent: fields.debtor_agent ?? agentOf(sender),
    instructed_agent: agentOf(receiver),
    instructing_agent: fields.instructing_agent ?? agentOf(sender),
    occurred_at: sent ?? sentAt ?? value_date,
    references: { ...references, ...userReferences(message.user) },
    tx_id: hasUetr
      ? `${uetr}:${bic8(sender)}:${bic8(receiver)}`
      : `${bic8(sender)}:${references.sender_reference}:${value_date}`,
    ...(hasUetr && { uetr }),
    ...(quality.length > 0 && { quality }),
  };
}

/** The address of a test terminal is no BIC. */
const agentOf = (bic: string) => (BIC.test(bic) ? { bic } : { name: bic });

const USER_FIELDS: Readonly<Record<string, string>> = {
  '103': 'service_code',
  '108': 'user_reference',
  '111': 'service_type',
  '119': 'validation_flag',
};

const userReferences = (user: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(USER_FIELDS).flatMap(([tag, name]) => {
      const value = user.get(tag);
      return value ? [[name, value]] : [];
    }),
  );

const isInCharset = ({ fields }: FinMessage): boolean =>
  fields.every(({ lines }) => lines.every((line) => CHARSET_X.test(line)));
