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
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';

type CreatedKey = AdminKey & { key: string };

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
    setCreated(answer.created[0]!);
    keys.reload();
  };
  return (
    <>
      <Loading of={keys}>
        {(all) => (
          <Table
            label="Admin keys"
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Name', cell: ({ name }) => name || '(no name)' },
              { title: 'Begins with', cell: ({ prefix }) => <span class="code">{prefix}</span> },
              { title: 'Role', cell: ({ role }) => role },
              { title: 'Tenant', cell: ({ tenant }) => tenant ?? 'every tenant' },
              { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
              { title: 'Created', cell: ({ created: at }) => <Instant at={at} /> },
              { title: 'Last use', cell: ({ lastUsed }) => (lastUsed ? <Instant at={lastUsed} /> : 'never') },
              { title: '', cell: (key) => <RevokeButton adminKey={key} onDone={keys.reload} /> },
            ]}
          />
        )}
      </Loading>
      {created && (
        <p class="warning" role="status">
          Copy this key now, it is not shown again: <span class="code">{created.key}</span>
        </p>
      )}
      <Allowed to="admin">
        <h2>New admin key</h2>
        <SchemaForm
          schema={keySchema()}
          initial={{ role: 'admin' }}
          submitLabel="Create a key"
          onSubmit={create}
        />
      </Allowed>
    </>
  );
}

function RevokeButton({ adminKey, onDone }: { adminKey: AdminKey; onDone(): void }) {
  const { id, name, prefix, status } = adminKey;
  if (status !== 'active') return null;
  return (
    <Confirm
      label="Revoke"
      isDangerous
      needs="admin"
      done="The key was revoked."
      work={() => callApi('POST', `${ADMIN}/api-keys/${id}/revoke`)}
      onDone={onDone}
    >
      Calls with the key <strong>{name || prefix}</strong> are refused from now on. This cannot be undone.
    </Confirm>
  );
}
