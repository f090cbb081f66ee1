import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Role } from '../../base/roles.ts';
import { useAction } from '../api/useAction.ts';
import { isAllowed } from './Allowed.tsx';
import type { Undo } from './announcements.tsx';
import { Dialog } from './Dialog.tsx';
import { ErrorMessage } from './Loading.tsx';

interface Question {
  /** On the button, and the title of the question. */
  label: string;
  isDangerous?: boolean;
  /** What will happen. */
  children: ComponentChildren;
  /** Said when it has happened. */
  done: string;
  /** Takes it back; offered when it has happened. */
  undo?: Undo | null;
  work(): Promise<unknown>;
}

interface ConfirmProps extends Question {
  /** The role that can do it. */
  needs?: Role;
  onDone?(): void;
}

/** A button that asks before it does something. */
export function Confirm({ needs = 'operate', onDone, ...question }: ConfirmProps) {
  const { label, isDangerous } = question;
  const [isOpen, setOpen] = useState(false);
  const close = (isDone: boolean): void => {
    setOpen(false);
    if (isDone) onDone?.();
  };
  if (!isAllowed(needs)) return null;
  return (
    <>
      <button type="button" class={isDangerous ? 'danger' : undefined} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && <ConfirmDialog {...question} onClose={close} />}
    </>
  );
}

/** Says what will happen, and asks. */
export function ConfirmDialog(props: Question & { onClose(isDone: boolean): void }) {
  const { label, isDangerous, children, done, undo, work, onClose } = props;
  const { run, error, isRunning } = useAction();
  const confirm = async (): Promise<void> => {
    if (await run(work, done, undo)) onClose(true);
  };
  return (
    <Dialog title={label} onClose={() => onClose(false)}>
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
  );
}
