/**
 * What can go wrong between a caller and the engine's threads. Fits the callers' error codes by
 * `code`.
 */
export type EngineErrorCode = 'engine-queue-full' | 'deadline-exceeded';

/** Something that the caller can act on: try later, or elsewhere. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
