/** The filters of a list: what narrows it stands in the address, and `/` leads to it. */
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';

export function Filters({
  children,
  onSubmit,
}: {
  readonly children: ComponentChildren;
  readonly onSubmit?: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const form = useRef<HTMLFormElement>(null);
  useKeys({ '/': () => form.current?.querySelector<HTMLElement>('select, input')?.focus() });
  return (
    <form
      aria-label={t('filters')}
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
      ref={form}
    >
      {children}
    </form>
  );
}
