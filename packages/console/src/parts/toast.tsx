/** Short news that a screen reader says: what was done, and what was not. */
import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';

export const ToastContext = createContext<(text: string) => void>(() => undefined);
export const useToast = (): ((text: string) => void) => useContext(ToastContext);

export function Toasts({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="toast" role="status">
      {text === '' ? null : <p>{text}</p>}
    </div>
  );
}
