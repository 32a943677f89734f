/**
 * Structured logs, one JSON object a line. Only fields on the list below leave the process, so a
 * name or a document number cannot slip in with a new field or with a foreign object; a list of
 * forbidden fields would let every new one through.
 *
 * For an unexpected error only its class, its code and the stack's frames are written: drivers and
 * parsers quote values in their messages. A caller who knows that a message is safe passes it as
 * `reason`. Control and bidirectional characters are escaped, so that no line can forge another.
 */
import pino from 'pino';
import type { LogLevel } from './logLevels.ts';

type Scalar = string | number | boolean | undefined;

/** Ids, counts, codes and durations. Adding a field here is a decision about personal data. */
const FIELDS = [
  'address',
  'batch_id',
  'bytes',
  'child',
  'code',
  'count',
  'duration_ms',
  'event_id',
  'job',
  'job_id',
  'key_id',
  'list_version',
  'method',
  'operation',
  'port',
  'reason',
  'replayed',
  'request_id',
  'route',
  'run_id',
  'seq',
  'signal',
  'source_id',
  'status',
  'subscriber',
  'technology',
  'tenant_id',
  'threads',
  'topic',
  'trace_id',
  'tries',
  'version',
] as const;
export type LogFields = { readonly [Field in (typeof FIELDS)[number]]?: Scalar } & {
  readonly error?: unknown;
};

export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Checked before fields are gathered on a hot path. */
  isDebug(): boolean;
}

export const LOG_VALUE_CHARS_MAX = 300;
const STACK_FRAMES_MAX = 12;

export interface LogOptions {
  readonly level: LogLevel;
  /** `gateway`, `worker`: stands on every line. */
  readonly process: string;
  /** The trace of the step under way, where traces are recorded. */
  readonly traceId?: () => string | undefined;
  /** Standard output where absent. */
  readonly destination?: { write(line: string): void };
}

export function createLog(options: LogOptions): Log {
  const { traceId } = options;
  const logger = pino(
    {
      base: { process: options.process },
      formatters: { level: (label) => ({ level: label }) },
      level: options.level,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    // Synchronous: the last line before an exit is the one that matters, and lines are few.
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const written = (fields: LogFields): Record<string, unknown> =>
    allowed(traceId === undefined ? fields : { trace_id: traceId(), ...fields });
  return {
    debug: (fields, message) => {
      if (logger.isLevelEnabled('debug')) logger.debug(written(fields), message);
    },
    error: (fields, message) => logger.error(written(fields), message),
    info: (fields, message) => logger.info(written(fields), message),
    isDebug: () => logger.isLevelEnabled('debug'),
    warn: (fields, message) => logger.warn(written(fields), message),
  };
}

function allowed(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value = fields[field];
    if (value === undefined) continue;
    // The type says scalar. An object that a cast let through is replaced by its kind.
    kept[field] = typeof value === 'object' ? '[object]' : shown(value);
  }
  if (fields.error !== undefined) kept.error = describeError(fields.error);
  return kept;
}

function shown(value: unknown): unknown {
  return typeof value === 'string' ? escapeText(value.slice(0, LOG_VALUE_CHARS_MAX)) : value;
}

/** Printable ASCII stays; all else is written as its code point (ASVS 16.4.1). */
function escapeText(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/gu,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}>`,
  );
}

function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: escapeText(error.name),
    ...(code !== undefined && { code: escapeText(code.slice(0, LOG_VALUE_CHARS_MAX)) }),
    frames: framesOf(error),
    ...(error.cause !== undefined && { cause: describeCause(error.cause) }),
  };
}

/** One level only: a chain of causes could be a ring. */
function describeCause(cause: unknown): Record<string, unknown> {
  if (!(cause instanceof Error)) return { name: typeof cause };
  return { frames: framesOf(cause), name: escapeText(cause.name) };
}

/** Lines of the stack that are places; the first ones repeat the message. */
function framesOf(error: Error): string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^ {4}at .*(:\d+:\d+\)?|<anonymous>\)?)$/.test(line))
    .slice(0, STACK_FRAMES_MAX)
    .map((line) => line.trim());
}
