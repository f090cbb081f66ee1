import { useState } from 'preact/hooks';
import { callForItems } from '../../api/client.ts';
import type { TokenSecret } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
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
  properties: { name: { type: 'string', description: t('What the secret is used for.') } },
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
        none={t('No user token secrets yet')}
        hint={t('With a secret, your backend signs short-lived tokens that let apps call laurel for a user.')}
        label={t('User token secrets')}
        keyOf={({ id }) => id}
        columns={[
          { title: t('Name'), cell: ({ name }) => name || t('(no name)') },
          { title: t('Created'), cell: ({ created: at }) => <Instant at={at} /> },
          { title: '', cell: (secret) => <DeleteButton secret={secret} onDone={secrets.reload} /> },
        ]}
      />
      {created && (
        <ShownOnce
          title={t('New user token secret')}
          note={t('Your backend signs user tokens with it.')}
          value={created}
          onClose={() => setCreated(null)}
        />
      )}
      <Allowed to="admin">
        <h2>{t('New secret')}</h2>
        <SchemaForm
          schema={SCHEMA}
          initial={{}}
          submitLabel={t('Create secret')}
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
      label={t('Delete')}
      isDangerous
      needs="admin"
      done={t('Secret deleted.')}
      work={() => callForItems('DELETE', PATH, { query: { ids: [id] } })}
      onDone={onDone}
    >
      {rich(t('All tokens signed with {name} are refused from now on. This cannot be undone.'), {
        name: <strong>{name || 'this secret'}</strong>,
      })}
    </Confirm>
  );
}
