/** What the rules of notifications need of their process, and of the ways to readers. */
import type { CommitEvidence } from '#core/audit';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Locale } from '#platform/locales';
import type { Random } from '#platform/random';

/** What everything that tells people needs. */
export interface NoticePorts {
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly random: Random;
  readonly tables: Tables;
  /** As the chain holds them; rejects with `state-altered` where it does not. */
  readonly personsOf: (tenantId: TenantId) => Promise<readonly Person[]>;
  readonly operations: Operations;
  /** There is something to send. */
  readonly wake: () => void;
}

/** The operator's readers. */
export interface Operations {
  readonly mails: readonly string[];
  readonly locale: Locale;
  readonly hasHook: boolean;
}

/** One mail, as it is sent: the same bytes whenever it is sent again. */
export interface Mail {
  /** Without angle brackets: `<id>@<domain of the sender>` is made of it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly locale: Locale;
  readonly date: Date;
  /** Critical ones are marked so. */
  readonly isUrgent: boolean;
}

/** The way by mail. */
export interface Mailer {
  /** Rejects with SendFault. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The way to the operator's own systems: paging, chat, tickets. */
export interface OperatorHook {
  /** Rejects with SendFault. The id is the same for the same message. */
  post(message: { readonly id: string; readonly body: object }): Promise<void>;
  close(): Promise<void>;
}

/** Why a message was not sent; its code is shown, and holds no address. */
export class SendFault extends Error {
  override readonly name = 'SendFault';
  readonly code: SendFaultCode;

  constructor(code: SendFaultCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Why a message could not be sent. */
export const SEND_FAULTS = [
  'expired',
  'mail-refused',
  'no-address',
  'no-notice',
  'mail-deferred',
  'mail-login',
  'mail-tls',
  'mail-unreachable',
  'hook-answer',
  'hook-unreachable',
] as const;
/** One of SEND_FAULTS. */
export type SendFaultCode = (typeof SEND_FAULTS)[number];
