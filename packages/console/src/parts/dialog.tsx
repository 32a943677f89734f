/** A dialog on the browser's own element: it keeps the focus inside, and gives it back. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export function Dialog({
  children,
  onClose,
  title,
}: {
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly title: string;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const former = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (former instanceof HTMLElement && former.isConnected) former.focus();
    };
  }, []);
  return (
    <dialog aria-labelledby={id} onClose={onClose} ref={dialog}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
