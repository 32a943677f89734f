/**
 * Codes of what can go wrong between a caller and the engine's threads. They are spelt like the
 * callers' own error codes.
 */
export type EngineErrorCode = 'engine-queue-full' | 'deadline-exceeded' | 'caller-gone';

/** An error that the caller can act on: try later, or elsewhere; or that it brought about. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
