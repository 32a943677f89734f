/** Entry of the thread that reads messages of payments. */
import { DomainError, type Violation } from '#core/kernel';
import { type MessageTask, type ReadTransactions, readMessage } from '#slices/monitoring';

export type MessageAnswer =
  | { readonly read: ReadTransactions }
  | {
      readonly code: string | undefined;
      readonly message: string;
      readonly violations: readonly Violation[];
    };

/** Called by Piscina. */
export function readTask({ bytes, context, format }: MessageTask): MessageAnswer {
  try {
    return {
      read: readMessage(format, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), context),
    };
  } catch (error) {
    if (error instanceof DomainError) {
      return { code: error.code, message: error.message, violations: error.violations };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { code: undefined, message, violations: [] };
  }
}
