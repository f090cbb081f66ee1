import { useState } from 'preact/hooks';
import { callForItems } from '../../api/client.ts';
import type { TokenSecret } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { ShownOnce } from '../../ui/ShownOnce.tsx';

const PATH = '/user-token-secrets';
const SCHEMA: Schema = {
  type: 'object',
  properties: { name: { type: 'string', description: 'What the secret is used for.' } },
};

/** Secrets with which the backend of a tenant signs tokens for its users; a new one is shown once. */
export function TokenSecrets() {
  const secrets = useList(PATH);
  const [created, setCreated] = useState<string | null>(null);
  const create = async (value: object): Promise<void> => {
    const answer = await callForItems<{ created: { secret: string }[]; issues: [] }>('POST', PATH, {
      body: [value],
    });
    setCreated(answer.created[0]!.secret);
    void secrets.reload();
  };
  return (
    <>
      <ListTable
        of={secrets}
        none="No user token secrets yet"
        hint="With a secret, your backend signs short-lived tokens that let apps call laurel for a user."
        label="User token secrets"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => name || '(no name)' },
          { title: 'Created', cell: ({ created: at }) => <Instant at={at} /> },
          { title: '', cell: (secret) => <DeleteButton secret={secret} onDone={secrets.reload} /> },
        ]}
      />
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
          submitLabel="Create secret"
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
      done="Secret deleted."
      work={() => callForItems('DELETE', PATH, { query: { ids: [id] } })}
      onDone={onDone}
    >
      All tokens signed with <strong>{name || 'this secret'}</strong> are refused from now on. This cannot be
      undone.
    </Confirm>
  );
}
