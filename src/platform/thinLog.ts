/**
 * A log that says the same thing once a minute. A fault that comes back every second would bury
 * every other line; so a line that was said less than a minute ago is counted, and the next one of
 * its kind says how often it was left out (`count`). What names another thing is another line.
 */
import type { Clock } from './clock.ts';
import type { Log, LogFields } from './log.ts';

const SAME_MS = 60_000;
/** Kinds of lines that are remembered; beyond it the oldest is forgotten, and said again. */
const KINDS_MAX = 1_000;

interface Said {
  readonly atMs: number;
  leftOut: number;
}

type Say = (fields: LogFields, message: string) => void;

/** Warnings and errors are thinned; all else is passed on. */
export function thinLog(log: Log, clock: Pick<Clock, 'monotonicMs'>): Log {
  const said = new Map<string, Said>();
  const thin =
    (level: string, say: Say): Say =>
    (fields, message) => {
      const kind = kindOf(level, fields, message);
      const now = clock.monotonicMs();
      const last = said.get(kind);
      if (last !== undefined && now - last.atMs < SAME_MS) {
        last.leftOut += 1;
        return;
      }
      said.delete(kind);
      if (said.size >= KINDS_MAX) said.delete(said.keys().next().value ?? '');
      said.set(kind, { atMs: now, leftOut: 0 });
      const leftOut = last?.leftOut ?? 0;
      say(leftOut > 0 ? { count: leftOut, ...fields } : fields, message);
    };
  return {
    debug: (fields, message) => log.debug(fields, message),
    error: thin('error', (fields, message) => log.error(fields, message)),
    info: (fields, message) => log.info(fields, message),
    isDebug: () => log.isDebug(),
    warn: thin('warn', (fields, message) => log.warn(fields, message)),
  };
}

/** Without the stack: the same fault from two places is the same news. */
function kindOf(level: string, { error, ...fields }: LogFields, message: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return JSON.stringify([level, message, fields, error instanceof Error ? error.name : '', code]);
}
