import { retryAfterOf } from './problem.js';

export interface Sending {
  readonly fetch: typeof fetch;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** How often a request is sent again that was not done (429, 503) or whose answer was lost. */
  readonly retries: number;
  /** No request is sent again later than this after the first. */
  readonly retryForMs: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CHANGES = new Set(['DELETE', 'PATCH', 'POST', 'PUT']);
const KEY = 'Idempotency-Key';
const FIRST_WAIT_MS = 250;
/** A service that asks for more has its answer handed to the caller, who may have better to do. */
export const WAIT_MS_MAX = 30_000;
const IN_PROGRESS = 409;
const NOT_DONE = [429, 503];

/**
 * A fetch that gives each POST a key of its own, so that sending it again cannot do it twice, and
 * sends again what the service has not done, after the time that it asked for. Where that time is
 * longer than the bounds, the caller gets the answer and decides.
 */
export function sendingAgain(sending: Sending): typeof fetch {
  const { fetch: send, now, retries, retryForMs, sleep } = sending;
  return async (input, init) => {
    const asked = withKey(new Request(input, init));
    const endsAt = now() + retryForMs;
    for (let tried = 0; ; tried += 1) {
      const isLast = tried >= retries || !mayRepeat(asked);
      // A request is used up by sending: a copy goes out while there is another try.
      const sent = isLast ? asked : copyOf(asked, input, init);
      const outcome = await outcomeOf(send(sent));
      const waitMs = isLast || asked.signal.aborted ? undefined : waitOf(outcome, tried);
      if (waitMs === undefined || now() + waitMs > endsAt) return settled(outcome);
      await outcome.answer?.body?.cancel();
      await sleep(waitMs, asked.signal);
    }
  };
}

type Outcome =
  | { readonly answer: Response }
  | { readonly answer?: undefined; readonly error: unknown };

function outcomeOf(sent: Promise<Response>): Promise<Outcome> {
  return sent.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
}

function settled(outcome: Outcome): Response {
  if (outcome.answer === undefined) throw outcome.error;
  return outcome.answer;
}

/** A file is read anew for each try; a clone would hold what of it was sent. */
function copyOf(
  asked: Request,
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Request {
  if (input instanceof Request) return asked.clone();
  return new Request(input, { ...init, headers: asked.headers });
}

function withKey(request: Request): Request {
  if (request.method === 'POST' && !request.headers.has(KEY)) {
    request.headers.set(KEY, crypto.randomUUID());
  }
  return request;
}

/** A change without a key might be done twice. */
function mayRepeat({ headers, method }: Request): boolean {
  return !CHANGES.has(method) || headers.has(KEY);
}

/** Milliseconds until the next try; undefined where there is none. */
function waitOf({ answer }: Outcome, tried: number): number | undefined {
  if (answer !== undefined && !isToRepeat(answer)) return undefined;
  const asked = answer === undefined ? undefined : retryAfterOf(answer);
  if (asked !== undefined) return asked * 1000 > WAIT_MS_MAX ? undefined : asked * 1000;
  return Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** tried) * (0.5 + Math.random() / 2);
}

/** 409 says `idempotency-key-in-progress` by its Retry-After. */
function isToRepeat(answer: Response): boolean {
  if (NOT_DONE.includes(answer.status)) return true;
  return answer.status === IN_PROGRESS && answer.headers.has('Retry-After');
}

export function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
