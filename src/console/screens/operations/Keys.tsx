import { useState } from 'preact/hooks';
import { ROLES } from '../../../base/roles.ts';
import { ADMIN, callApi, callForItems } from '../../api/client.ts';
import type { AdminKey } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { auditOf } from '../configuration/AuditLog.tsx';

type CreatedKey = AdminKey & { key: string };

/** Active keys first, the longest unused before the others. */
const byUse = (a: AdminKey, b: AdminKey): number =>
  a.status.localeCompare(b.status) || (a.lastUsed ?? '').localeCompare(b.lastUsed ?? '');

/** The form offers the roles. */
function keySchema(): Schema {
  const schema = schemaOf('adminKeys');
  const role: Schema = { enum: [...ROLES], description: schema.properties?.role?.description };
  return { ...schema, properties: { ...schema.properties, role } };
}

/** Admin keys: a new one is shown once. */
export function Keys() {
  const keys = useList<AdminKey>('/api-keys');
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const create = async (value: object): Promise<void> => {
    const path = `${ADMIN}/api-keys`;
    const answer = await callForItems<{ created: CreatedKey[]; issues: [] }>('POST', path, { body: [value] });
    show(answer.created[0]!);
  };
  const show = (key: CreatedKey): void => {
    setCreated(key);
    void keys.reload();
  };
  return (
    <>
      <p class="soft">Active keys first, the longest unused before the others.</p>
      <Loading of={keys}>
        {(all) => (
          <Table
            label="Admin keys"
            rows={[...all].sort(byUse)}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: ({ name }) => name || '(no name)' },
              { title: 'Begins with', cell: ({ prefix }) => <span class="code">{prefix}</span> },
              { title: 'Role', cell: ({ role }) => role },
              { title: 'Tenant', cell: ({ tenant }) => tenant ?? 'every tenant' },
              { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
              { title: 'Created', cell: ({ created: at }) => <Instant at={at} /> },
              { title: 'Last use', cell: ({ lastUsed }) => (lastUsed ? <Instant at={lastUsed} /> : 'never') },
              {
                title: 'Changes',
                cell: ({ name, prefix }) => <a href={auditOf(name || prefix)}>Audit</a>,
              },
              {
                title: '',
                cell: (key) => <KeyActions adminKey={key} onCreated={show} onDone={keys.reload} />,
              },
            ]}
          />
        )}
      </Loading>
      {created && (
        <ShownOnce
          title="New admin key"
          note="The service knows only its hash."
          value={created.key}
          onClose={() => setCreated(null)}
        />
      )}
      <Allowed to="admin">
        <h2>New admin key</h2>
        <SchemaForm
          schema={keySchema()}
          initial={{ role: 'read' }}
          submitLabel="Create a key"
          onSubmit={create}
        />
      </Allowed>
    </>
  );
}

interface KeyActionsProps {
  adminKey: AdminKey;
  onCreated(key: CreatedKey): void;
  onDone(): void;
}

function KeyActions({ adminKey: { id, name, prefix, status }, onCreated, onDone }: KeyActionsProps) {
  if (status !== 'active') return null;
  const path = `${ADMIN}/api-keys/${id}`;
  return (
    <span class="row end">
      <Confirm
        label="Replace"
        needs="admin"
        done="The key was replaced."
        work={async () => onCreated(await callApi<CreatedKey>('POST', `${path}/rotate`))}
      >
        Calls with the key <strong>{name || prefix}</strong> are refused from now on, and its sessions end. A
        new key with the same name, role and tenant is shown once.
      </Confirm>
      <Confirm
        label="Revoke"
        isDangerous
        needs="admin"
        done="The key was revoked."
        work={() => callApi('POST', `${path}/revoke`)}
        onDone={onDone}
      >
        Calls with the key <strong>{name || prefix}</strong> are refused from now on, and its sessions end.
        This cannot be undone.
      </Confirm>
    </span>
  );
}
