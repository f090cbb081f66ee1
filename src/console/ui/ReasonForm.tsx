import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { TEXT_CHARS_MAX } from '../../base/limits.ts';
import { t } from '../text/translate.ts';
import { Dialog } from './Dialog.tsx';
import { SchemaForm } from './form/SchemaForm.tsx';
import type { Schema, Value } from './form/schema.ts';

export const REASON: Schema = {
  type: 'string',
  maxLength: TEXT_CHARS_MAX,
  description: t('Shown in the audit log and the timeline.'),
};

/**
 * The fields of a change with its reason: before it those that are required or have fields of their own,
 * after it the others.
 * @param required fields beside the reason
 */
export function reasonSchema(fields: Record<string, Schema> = {}, required: readonly string[] = []): Schema {
  const all = Object.entries(fields);
  const isFirst = ([name, { type }]: [string, Schema]): boolean =>
    required.includes(name) || type === 'object';
  const [first, others] = [all.filter(isFirst), all.filter((field) => !isFirst(field))];
  return {
    type: 'object',
    required: [...required, 'reason'],
    properties: Object.fromEntries([...first, ['reason', REASON], ...others]),
  };
}

/** What a dialog shows that asks for a reason. */
export interface AskedReason {
  /** Title of the dialog, and of its button. */
  label: string;
  /** What the change does. */
  effect: ComponentChildren;
  /** Other fields of the form. */
  fields?: Record<string, Schema>;
  /** Fields that are required beside the reason. */
  required?: string[];
  /** Whether the effect needs a column of its own. */
  isWide?: boolean;
  /** First values of the form. */
  initial?: Value;
  /** What it does with the current values of the form. */
  effectOf?(value: Value): ComponentChildren;
}

/** A change that administrators make for a reason. */
export interface Reasoned extends AskedReason {
  isDangerous?: boolean;
  /** Announced on success. */
  done: string;
  work(reason: string, fields: Value): Promise<unknown>;
}

interface ReasonDialogProps {
  of: Reasoned;
  onClose(isDone: boolean): void;
}

/** Shows what a change does, and asks for the reason. */
export function ReasonDialog({ of, onClose }: ReasonDialogProps) {
  const submit = async (reason: string, others: Value): Promise<void> => {
    await of.work(reason, others);
    onClose(true);
  };
  return <AskReason of={of} done={of.done} onSubmit={submit} onClose={() => onClose(false)} />;
}

interface AskReasonProps {
  of: AskedReason;
  /** Announced once it is submitted. */
  done?: string;
  onSubmit(reason: string, fields: Value): Promise<void>;
  onClose(): void;
}

/** The dialog with the form for the reason. */
export function AskReason({ of, done, onSubmit, onClose }: AskReasonProps) {
  const { label, effect, fields, required, isWide, initial = {}, effectOf } = of;
  return (
    <Dialog title={label} isWide={isWide} onClose={onClose}>
      <div>{effect}</div>
      <SchemaForm
        schema={reasonSchema(fields, required)}
        initial={initial}
        submitLabel={label}
        done={done}
        effectOf={effectOf}
        onSubmit={({ reason, ...others }) => onSubmit(String(reason), others)}
      />
    </Dialog>
  );
}

interface ReasonButtonProps {
  of: Reasoned;
  class?: string;
  'aria-label'?: string;
  onDone(): void;
}

/** A button that opens the dialog. */
export function ReasonButton({ of, onDone, ...rest }: ReasonButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (isDone: boolean): void => {
    setOpen(false);
    if (isDone) onDone();
  };
  return (
    <>
      <button type="button" {...rest} onClick={() => setOpen(true)}>
        {of.label}
      </button>
      {isOpen && <ReasonDialog of={of} onClose={close} />}
    </>
  );
}
