import type { ComponentChildren } from 'preact';
import { TEXT_CHARS_MAX } from '../../base/limits.ts';
import { Dialog } from './Dialog.tsx';
import { SchemaForm } from './form/SchemaForm.tsx';
import type { Schema } from './form/schema.ts';

export const REASON: Schema = {
  type: 'string',
  maxLength: TEXT_CHARS_MAX,
  description: 'For the audit log and the timeline.',
};

/** Something that administrators do for a reason. */
export interface Reasoned {
  /** Of the action, and the title of the question. */
  label: string;
  /** What will happen. */
  effect: ComponentChildren;
  /** Said when it has happened. */
  done: string;
  /** What else can be chosen, by field of the call. */
  choices?: Record<string, Schema>;
  work(reason: string, chosen: Record<string, unknown>): Promise<unknown>;
}

/** Says what will happen, and asks for the reason. */
export function ReasonDialog({ of, onClose }: { of: Reasoned; onClose(isDone: boolean): void }) {
  const { label, effect, done, choices, work } = of;
  const properties = { ...choices, reason: REASON };
  return (
    <Dialog title={label} onClose={() => onClose(false)}>
      <div>{effect}</div>
      <SchemaForm
        schema={{ type: 'object', required: ['reason'], properties }}
        initial={{}}
        submitLabel={label}
        done={done}
        onSubmit={async ({ reason, ...chosen }) => {
          await work(String(reason), chosen);
          onClose(true);
        }}
      />
    </Dialog>
  );
}
