import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Role } from '../../base/roles.ts';
import { useAction } from '../api/useAction.ts';
import { isAllowed } from './Allowed.tsx';
import type { Undo } from './announcements.tsx';
import { Dialog } from './Dialog.tsx';
import { ErrorMessage } from './Loading.tsx';

interface ConfirmProps {
  /** On the button, and the title of the question. */
  label: string;
  isDangerous?: boolean;
  /** The role that can do it. */
  needs?: Role;
  /** What will happen. */
  children: ComponentChildren;
  /** Said when it has happened. */
  done: string;
  /** Takes it back; offered when it has happened. */
  undo?: Undo | null;
  work(): Promise<unknown>;
  onDone?(): void;
}

/** A button that asks before it does something. */
export function Confirm(props: ConfirmProps) {
  const { label, isDangerous, needs = 'operate', children, done, undo, work, onDone } = props;
  const [isOpen, setOpen] = useState(false);
  const { run, error, isRunning } = useAction();
  const confirm = async (): Promise<void> => {
    if (!(await run(work, done, undo))) return;
    setOpen(false);
    onDone?.();
  };
  if (!isAllowed(needs)) return null;
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} onClose={() => setOpen(false)}>
          <div>{children}</div>
          <ErrorMessage text={error} />
          <div class="row end">
            <button
              type="button"
              class={isDangerous ? 'danger' : 'primary'}
              disabled={isRunning}
              onClick={confirm}
            >
              {isRunning ? 'Working…' : label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
