/**
 * An operation under its Idempotency-Key (decisions 1.2): executed once, and answered again, byte
 * for byte, at every repetition. The caller has reserved the key.
 */
import assert from 'node:assert/strict';
import { type IdempotencyRecord, IdempotencyTaken } from '#core/audit';
import type { CompiledOperation } from './compileOperation.ts';
import type { HttpReply } from './http/port.ts';
import type { IdempotencyClaim, OperationContext, OperationReply } from './operation.ts';
import type { IdempotencyGate } from './ports.ts';

export interface Call {
  readonly compiled: CompiledOperation;
  readonly context: OperationContext;
  /** Called where the answer is an earlier one. */
  onReplay(): void;
}

/** `claim` is the one that the caller reserved, now with its fingerprint. */
export async function executeOnce(
  gate: IdempotencyGate,
  call: Call,
  claim: IdempotencyClaim,
): Promise<HttpReply> {
  if (!hasNoEffectBeforeCommit(call)) {
    const record = await gate.find(claim);
    if (record !== undefined) return replayOf(record, call);
  }
  return handleOrFind(gate, { call, claim });
}

/**
 * A screening only computes until its evidence is written, and the write refuses a scope that is
 * taken. So its key is not looked up first: a fresh request, which nearly every one is, is spared
 * a read, and a repeated one is recognised by the refusal.
 */
const hasNoEffectBeforeCommit = ({ compiled }: Call): boolean =>
  compiled.operation.idempotency === 'screening';

async function handleOrFind(
  gate: IdempotencyGate,
  of: { readonly call: Call; readonly claim: IdempotencyClaim },
): Promise<HttpReply> {
  try {
    return await handle(of.call);
  } catch (error) {
    // Another process may have executed the same request meanwhile; nothing of ours was written.
    const isAwaited = !of.call.context.request.signal.aborted;
    const mayBeWritten =
      error instanceof IdempotencyTaken || (isAwaited && hasNoEffectBeforeCommit(of.call));
    const record = mayBeWritten ? await gate.find(of.claim) : undefined;
    // The record that was in the way has passed its 24 hours meanwhile: the key is free.
    if (record === undefined && error instanceof IdempotencyTaken) return handle(of.call);
    if (record === undefined) throw error;
    return replayOf(record, of.call);
  }
}

function replayOf(record: IdempotencyRecord, call: Call): Promise<HttpReply> {
  call.onReplay();
  return replay(record, call);
}

export async function handle({ compiled, context }: Call): Promise<HttpReply> {
  const reply = await compiled.operation.handle(context);
  const validate = compiled.validateReply.get(reply.status);
  if (validate !== undefined && !isBinary(reply.body)) {
    const value = typeof reply.body === 'string' ? JSON.parse(reply.body) : toWire(reply.body);
    assert.deepEqual(validate(value), [], `${compiled.operation.id}: reply is not as described`);
  }
  return toHttpReply(reply);
}

async function replay(record: IdempotencyRecord, call: Call): Promise<HttpReply> {
  const { answer } = record;
  const { operation } = call.compiled;
  if (answer.kind === 'body') {
    const headers = [['content-type', answer.contentType] as const, REPLAYED];
    const body = operation.unsealed?.(answer.body) ?? answer.body;
    return { body, headers, status: answer.status };
  }
  const { rebuild } = operation;
  assert(rebuild !== undefined, 'a record of kind event belongs to a screening operation');
  const body = await rebuild(answer, call.context);
  return { body, headers: [JSON_TYPE, REPLAYED], status: answer.status };
}

const JSON_TYPE = ['content-type', 'application/json'] as const;
const REPLAYED = ['idempotent-replayed', 'true'] as const;

/** A handler gives JSON, as text or as an object, unless it names another type. */
function toHttpReply(reply: OperationReply | HttpReply): HttpReply {
  const given = reply.headers ?? [];
  const isTyped = given.some(([name]) => name.toLowerCase() === 'content-type');
  const headers = isTyped || BODILESS.has(reply.status) ? given : [JSON_TYPE, ...given];
  const { body } = reply;
  if (typeof body === 'string' || isBinary(body)) {
    // What a stream says of itself goes with it.
    const { bodyBytes, cut } = reply as HttpReply;
    return {
      body,
      headers,
      status: reply.status,
      ...(bodyBytes !== undefined && { bodyBytes }),
      ...(cut !== undefined && { cut }),
    };
  }
  return { body: JSON.stringify(body), headers, status: reply.status };
}

const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * The body as JSON.stringify writes it: the schemas describe the wire, where undefined is absent.
 */
function toWire(body: object): unknown {
  return JSON.parse(JSON.stringify(body));
}

function isBinary(body: string | object): body is Exclude<HttpReply['body'], string> {
  return typeof body === 'object' && (body instanceof Uint8Array || Symbol.asyncIterator in body);
}
