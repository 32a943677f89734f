/**
 * One operation of the interface, described once: the router, the role table, the limits, the
 * idempotency middleware and the API description are all read from this.
 */
import type { TSchema } from 'typebox';
import type { LimitKind, Principal, Role, Scope } from '#core/identity';
import type { ErrorCode, TenantId } from '#core/kernel';
import type { HttpReply, HttpRequest } from './http/port.ts';

export type Tag =
  | 'KYC'
  | 'AML'
  | 'TCR'
  | 'Forms'
  | 'Risk'
  | 'Privacy'
  | 'Webhooks'
  | 'Sanctions'
  | 'Operations';

/** The context of a handler: everything is parsed, authorised and limited before it runs. */
export interface OperationContext<Body = unknown, Query = Record<string, string>> {
  readonly requestId: string;
  /** Monotonic milliseconds at which the request came in. */
  readonly startedAtMs: number;
  readonly principal: Principal;
  readonly tenantId: TenantId;
  /** Address of the caller, as the proxy states it where one is trusted. */
  readonly ip: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** For a mutating operation: the key's scope, checked and not yet used. */
  readonly idempotency: IdempotencyClaim | undefined;
  readonly request: HttpRequest;
  /**
   * Takes further tokens of the rate limits for work whose cost is known only now, from a full
   * bucket at most all that it has. Rejects with `rate-limited`.
   */
  charge(tokens: number): Promise<void>;
}

/** A key that this request holds; the record is written with the effect (decisions 1.2). */
export interface IdempotencyClaim {
  /** SHA-256 hex of tenant, principal, method, route and key. */
  readonly scope: string;
  /** SHA-256 hex of method, path, query, content type and canonical body. */
  readonly fingerprint: string;
}

/**
 * A body of any length, which the operation reads as it comes. `handle` gets as `body` what
 * `receive` made of it; a repeated request ends before that.
 */
export interface Upload {
  readonly mediaType: 'application/json' | 'multipart/form-data';
  /** Other types that it takes; `receive` says which one fits, and reads the body as it is. */
  readonly furtherTypes?: readonly string[];
  /** Schema for the description; `receive` checks the body against it. */
  readonly schema: TSchema;
  /** `isAnswered`: an answer stands under the key already, so nothing need be kept. */
  receive(
    context: OperationContext,
    known: { readonly isAnswered: boolean },
  ): Promise<{
    /** Covers everything that the caller chose, and nothing that is random in each request. */
    readonly bodyDigest: string;
    readonly value: unknown;
  }>;
}

export interface OperationReply {
  readonly status: number;
  /** Already serialised JSON, or an object to serialise. */
  readonly body: string | object;
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/sanctions/screenings/{id}/audit` */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Deny by default: an operation without roles cannot be called. */
  readonly roles: readonly Role[];
  /** What an API key with scopes must have, beside a role. */
  readonly scope: Scope;
  /** `screening`: the record holds the event's id, the body is rebuilt from the event. */
  readonly idempotency: 'none' | 'required' | 'screening';
  readonly limits: LimitKind;
  /**
   * Tokens of the rate limits that a call costs, by its body, which has been checked; absent: 1.
   * The first is taken before the body is read, the others before it is worked on.
   */
  tokensOf?(body: unknown): number;
  /**
   * A customer may call it by an onboarding session, for whose case and form alone: `live` while
   * the session lives, `any` also afterwards. Absent: none may.
   */
  readonly session?: 'any' | 'live';
  /** A second person signs: the four headers of dual control are described with it. */
  readonly approval?: 'dual-control';
  /** Problems of its own, beside those that follow from the other members. */
  readonly problems?: readonly ErrorCode[];
  /** That it was called is told by no figure, trace or log: these need no role. */
  readonly isConfidential?: true;
  /** It makes a change of another slice, and gives that one's problems too. */
  readonly passesOn?: true;
  /** Header fields that are described with it: If-Match of a change, ranges of a file, Prefer. */
  readonly conditions?: 'file' | 'version' | 'wait';
  readonly bodyBytesMax: number;
  readonly body?: TSchema;
  /** Instead of `body`. */
  readonly upload?: Upload;
  readonly query?: TSchema;
  readonly responses: Readonly<
    Record<
      number,
      {
        description: string;
        schema?: TSchema;
        example?: unknown;
        /** Media types, where the answer is a file. */
        files?: readonly string[];
      }
    >
  >;
  readonly example?: unknown;
  handle(context: OperationContext): Promise<OperationReply | HttpReply>;
  /** Its answers hold a secret and are stored sealed: what was stored, as it is given again. */
  unsealed?(stored: string): string;
  /** For a `screening` operation: the answer again, byte for byte, from its event. */
  rebuild?(
    record: { readonly seq: number; readonly tookMs: number },
    context: OperationContext,
  ): Promise<string>;
}
