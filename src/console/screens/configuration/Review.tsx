import { useAction } from '../../api/useAction.ts';
import { formatValue } from '../../format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { labelOf, type Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';

interface ReviewProps {
  title: string;
  before: Value;
  changes: Value;
  apply(): Promise<unknown>;
  onClose(): void;
}

/** The difference, before it is applied. */
export function Review({ title, before, changes, apply, onClose }: ReviewProps) {
  const { run, error, isRunning } = useAction();
  const names = Object.keys(changes);
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {names.length === 0 ? <p>Nothing has changed.</p> : <Differences before={before} changes={changes} />}
      <ErrorMessage text={error} />
      <div class="row end">
        <button
          type="button"
          class="primary"
          disabled={isRunning || names.length === 0}
          onClick={() => void run(apply, 'Applied. It is in force.')}
        >
          {isRunning ? 'Applying…' : 'Apply'}
        </button>
      </div>
    </Dialog>
  );
}

/** Fields with their values before and after. */
export function Differences({ before, changes }: { before: Value; changes: Value }) {
  return (
    <div class="diff">
      <Table
        label="Differences"
        rows={Object.keys(changes)}
        keyOf={(name) => name}
        columns={[
          { title: 'Field', cell: (name) => labelOf([name]) },
          { title: 'Before', cell: (name) => <del>{formatValue(before[name])}</del> },
          { title: 'After', cell: (name) => <ins>{formatValue(changes[name])}</ins> },
        ]}
      />
    </div>
  );
}
