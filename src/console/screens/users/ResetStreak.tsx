import { useState } from 'preact/hooks';
import { ADMIN, callForItems } from '../../api/client.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';

export const REASON: Schema = { type: 'string', description: 'For the audit log and the timeline.' };
const SCHEMA: Schema = { type: 'object', required: ['reason'], properties: { reason: REASON } };

/** Ends the streak of a user, with a reason. */
export function ResetStreak({ id, onChanged }: { id: string; onChanged(): void }) {
  const [isOpen, setOpen] = useState(false);
  const reset = async ({ reason }: { reason?: unknown }): Promise<void> => {
    await callForItems<{ issues: [] }>('POST', `${ADMIN}/streaks/reset`, {
      body: { users: [{ id }], reason },
    });
    setOpen(false);
    onChanged();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Reset the streak
      </button>
      {isOpen && (
        <Dialog title="Reset the streak" onClose={() => setOpen(false)}>
          <SchemaForm
            schema={SCHEMA}
            initial={{}}
            submitLabel="Reset"
            done="The streak has ended. It can be restored."
            onSubmit={reset}
          />
        </Dialog>
      )}
    </>
  );
}
