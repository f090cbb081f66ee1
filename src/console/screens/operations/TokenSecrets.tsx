import { useState } from 'preact/hooks';
import { ADMIN, callForItems } from '../../api/client.ts';
import type { TokenSecret } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';
import { Table } from '../../ui/Table.tsx';

const PATH = '/user-token-secrets';
const SCHEMA: Schema = {
  type: 'object',
  properties: { name: { type: 'string', description: 'What the secret is used for.' } },
};

/** Secrets with which the backend of a tenant signs tokens for its users: a new one is shown once. */
export function TokenSecrets() {
  const secrets = useList<TokenSecret>(PATH);
  const [created, setCreated] = useState<string | null>(null);
  const create = async (value: object): Promise<void> => {
    const answer = await callForItems<{ created: { secret: string }[]; issues: [] }>('POST', ADMIN + PATH, {
      body: [value],
    });
    setCreated(answer.created[0]!.secret);
    void secrets.reload();
  };
  return (
    <>
      <Loading of={secrets}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no secrets for user tokens">
              <span>Your backend signs short-lived tokens with a secret: apps call laurel with them.</span>
            </Empty>
          ) : (
            <Table
              label="User token secrets"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name || '(no name)' },
                { title: 'Created', cell: ({ created: at }) => <Instant at={at} /> },
                { title: '', cell: (secret) => <DeleteButton secret={secret} onDone={secrets.reload} /> },
              ]}
            />
          )
        }
      </Loading>
      {created && (
        <ShownOnce
          title="New user token secret"
          note="Your backend signs user tokens with it."
          value={created}
          onClose={() => setCreated(null)}
        />
      )}
      <Allowed to="admin">
        <h2>New secret</h2>
        <SchemaForm
          schema={SCHEMA}
          initial={{}}
          submitLabel="Create a secret"
          needs="admin"
          onSubmit={create}
        />
      </Allowed>
    </>
  );
}

function DeleteButton({ secret: { id, name }, onDone }: { secret: TokenSecret; onDone(): void }) {
  return (
    <Confirm
      label="Delete"
      isDangerous
      needs="admin"
      done="The secret was deleted."
      work={() => callForItems<{ issues: [] }>('DELETE', ADMIN + PATH, { query: { ids: [id] } })}
      onDone={onDone}
    >
      All tokens that were signed with <strong>{name || 'this secret'}</strong> are refused from now on. This
      cannot be undone.
    </Confirm>
  );
}
