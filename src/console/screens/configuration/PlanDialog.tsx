import type { ApplyConfig } from '../../../contract/configured/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatValue } from '../../text/format.ts';
import { nameInContract, t, translated } from '../../text/translate.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { labelOf } from '../../ui/form/labels.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';

export type Report = ResponseOf<typeof ApplyConfig>;

interface PlanDialogProps {
  title: string;
  /** Result of a dry run. */
  report: Report;
  /** Reason of a refusal. */
  error: string | null;
  isRunning: boolean;
  apply(): Promise<unknown>;
  onClose(): void;
}

/** Shows what a file creates, changes and deletes before it is applied. */
export function PlanDialog({ title, report, error, isRunning, apply, onClose }: PlanDialogProps) {
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <Plan report={report} />
      <ErrorMessage text={error} />
      <div class="row end">
        <button
          type="button"
          class="primary"
          disabled={isRunning || isEmpty(report)}
          onClick={() => void apply()}
        >
          {isRunning ? t('Applying…') : t('Apply')}
        </button>
      </div>
    </Dialog>
  );
}

const isEmpty = ({ created, updated, deleted }: Report): boolean =>
  created.length + updated.length + deleted.length === 0;

function Plan({ report }: { report: Report }) {
  const { created, updated, deleted } = report;
  if (isEmpty(report)) return <p>{t('No changes.')}</p>;
  const rows = [
    ...created.map((item) => ({ ...item, verb: 'create', field: '', before: null, after: null })),
    ...updated.flatMap(({ kind, key, changes }) =>
      changes.map((change) => ({ kind, key, verb: 'change', ...change })),
    ),
    ...deleted.map((item) => ({ ...item, verb: 'delete', field: '', before: null, after: null })),
  ];
  return (
    <div class="diff">
      <Table
        label={t('Differences')}
        rows={rows}
        keyOf={({ kind, key, field }) => `${kind} ${key} ${field}`}
        columns={[
          { title: t('Action'), cell: ({ verb }) => translated(verb) },
          { title: t('Kind'), cell: ({ kind }) => nameInContract(kind) },
          { title: t('Key'), cell: ({ key }) => key },
          { title: t('Field'), cell: ({ field }) => field && labelOf([field]) },
          { title: t('Before'), cell: ({ field, before }) => field && <del>{formatValue(before)}</del> },
          { title: t('After'), cell: ({ field, after }) => field && <ins>{formatValue(after)}</ins> },
        ]}
      />
    </div>
  );
}
