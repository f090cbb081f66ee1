import { labelOf } from '../../ui/form/labels.ts';
import type { Value } from '../../ui/form/schema.ts';
import { ValueText } from '../../ui/form/ValueText.tsx';
import { Table } from '../../ui/Table.tsx';

/** Fields with their values before and after; what is new has only the latter. */
export function Differences({ label, before, changes }: { label: string; before: Value; changes: Value }) {
  const isNew = Object.keys(before).length === 0;
  const old = {
    title: 'Before',
    cell: (name: string) => (
      <del>
        <ValueText path={[name]} value={before[name]} />
      </del>
    ),
  };
  return (
    <div class="diff">
      <Table
        label={label}
        rows={Object.keys(changes)}
        keyOf={(name) => name}
        columns={[
          { title: 'Field', cell: (name) => labelOf([name]) },
          ...(isNew ? [] : [old]),
          {
            title: isNew ? 'Value' : 'After',
            cell: (name) => (
              <ins>
                <ValueText path={[name]} value={changes[name]} />
              </ins>
            ),
          },
        ]}
      />
    </div>
  );
}
