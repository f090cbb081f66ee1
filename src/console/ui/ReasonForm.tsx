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
const SCHEMA: Schema = { type: 'object', required: ['reason'], properties: { reason: REASON } };

/** Something that administrators do for a reason. */
export interface Reasoned {
  /** Of the action, and the title of the question. */
  label: string;
  /** What will happen. */
  effect: ComponentChildren;
  /** Said when it has happened. */
  done: string;
  work(reason: string): Promise<unknown>;
}

/** Says what will happen, and asks for the reason. */
export function ReasonDialog({ of, onClose }: { of: Reasoned; onClose(isDone: boolean): void }) {
  const { label, effect, done, work } = of;
  return (
    <Dialog title={label} onClose={() => onClose(false)}>
      <div>{effect}</div>
      <SchemaForm
        schema={SCHEMA}
        initial={{}}
        submitLabel={label}
        done={done}
        onSubmit={async ({ reason }) => {
          await work(String(reason));
          onClose(true);
        }}
      />
    </Dialog>
  );
}
