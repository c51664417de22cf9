// Asks before something is done that cannot be undone.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirm: ComponentChildren;
  readonly children: ComponentChildren;
  readonly close: () => void;
}

/** Shown for as long as it is drawn. Escape closes it. */
export function ConfirmDialog({ title, confirm, children, close }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={close}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      <div class="dialog-actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        {confirm}
      </div>
    </dialog>
  );
}
