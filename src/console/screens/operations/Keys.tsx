import { useState } from 'preact/hooks';
import { ROLES } from '../../../base/roles.ts';
import { callApi, callForItems } from '../../api/client.ts';
import type { AdminKey } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { t, translated } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { type Schema, schemaOf } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';
import { Table } from '../../ui/Table.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';
import { auditOf } from '../configuration/AuditLog.tsx';

type CreatedKey = AdminKey & { key: string };

/** Active keys first, the least recently used before the others. */
const byUse = (a: AdminKey, b: AdminKey): number =>
  a.status.localeCompare(b.status) || (a.lastUsed ?? '').localeCompare(b.lastUsed ?? '');

/** The form offers the roles. */
function keySchema(): Schema {
  const schema = schemaOf('adminKeys');
  const role: Schema = { enum: [...ROLES], description: schema.properties?.role?.description };
  return { ...schema, properties: { ...schema.properties, role } };
}

/** Admin keys; a new one is shown once. */
export function Keys() {
  const keys = useList('/api-keys');
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const show = (key: CreatedKey): void => {
    setCreated(key);
    void keys.reload();
  };
  const create = async (value: object): Promise<void> => {
    const body = [value];
    const answer = await callForItems<{ created: CreatedKey[]; issues: [] }>('POST', '/api-keys', { body });
    show(answer.created[0]!);
  };
  return (
    <>
      <p class="soft">{t('Active keys first, the least recently used at the top.')}</p>
      <Loading of={keys}>
        {(all) => (
          <Table
            label={t('Admin keys')}
            rows={[...all].sort(byUse)}
            keyOf={({ id }) => id}
            columns={[
              { title: t('Name'), cell: ({ name }) => name || t('(no name)') },
              { title: t('Prefix'), cell: ({ prefix }) => <span class="code">{prefix}</span> },
              { title: t('Role'), cell: ({ role }) => translated(role) },
              { title: t('Tenant'), cell: ({ tenant }) => tenant ?? t('All tenants') },
              { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
              { title: t('Created'), cell: ({ created: at }) => <Instant at={at} /> },
              {
                title: t('Last used'),
                cell: ({ lastUsed }) => (lastUsed ? <Instant at={lastUsed} /> : t('Never')),
              },
              {
                title: t('Changes'),
                cell: ({ name, prefix }) => <a href={auditOf(name || prefix)}>{t('Audit log')}</a>,
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
          title={t('New admin key')}
          note={t('laurel stores only its hash.')}
          value={created.key}
          onClose={() => setCreated(null)}
        />
      )}
      <Allowed to="admin">
        <h2>{t('New admin key')}</h2>
        <SchemaForm
          schema={keySchema()}
          initial={{ role: 'read' }}
          submitLabel={t('Create key')}
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
  const path = `/api-keys/${id}`;
  const effect = (
    <>
      {rich(t('Requests with the key {name} are refused from now on, and its sessions end.'), {
        name: <strong>{name || prefix}</strong>,
      })}
    </>
  );
  return (
    <span class="row end">
      <Confirm
        label={t('Rotate')}
        needs="admin"
        done={t('Key rotated.')}
        work={async () => onCreated(await callApi<CreatedKey>('POST', `${path}/rotate`))}
      >
        {effect} {t('The new key has the same name, role and tenant. It is shown once.')}
      </Confirm>
      <Confirm
        label={t('Revoke')}
        isDangerous
        needs="admin"
        done={t('Key revoked.')}
        work={() => callApi('POST', `${path}/revoke`)}
        onDone={onDone}
      >
        {effect} {t('This cannot be undone.')}
      </Confirm>
    </span>
  );
}
