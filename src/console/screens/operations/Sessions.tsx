import { callForItems } from '../../api/client.ts';
import { forgetSession, session as own } from '../../api/session.ts';
import type { ConsoleSession } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { NONE } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { t, translated } from '../../text/translate.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { auditOf } from '../configuration/AuditLog.tsx';

/** Open sessions of the console. */
export function Sessions() {
  const sessions = useList('/sessions');
  return (
    <ListTable
      of={sessions}
      none={t('No sessions')}
      label={t('Sessions')}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('Signed in with'),
          cell: ({ id, name }) => (isOwn(id) ? t('{name} (you)', { name }) : name),
        },
        { title: t('Identity'), cell: ({ subject }) => subject ?? NONE },
        { title: t('Role'), cell: ({ role }) => translated(role) },
        { title: t('Tenant'), cell: ({ tenant }) => tenant ?? t('All tenants') },
        { title: t('Since'), cell: ({ created }) => <Instant at={created} /> },
        { title: t('Last used'), cell: ({ lastUsed }) => <Instant at={lastUsed} /> },
        { title: t('Expires'), cell: ({ expires }) => <Instant at={expires} /> },
        { title: t('Changes'), cell: ({ name }) => <a href={auditOf(name)}>{t('Audit log')}</a> },
        { title: '', cell: (session) => <EndButton session={session} onDone={sessions.reload} /> },
      ]}
    />
  );
}

const isOwn = (id: string): boolean => id === own.value?.id;

function EndButton({ session: { id, name }, onDone }: { session: ConsoleSession; onDone(): void }) {
  return (
    <Confirm
      label={t('End session')}
      isDangerous
      needs="admin"
      done={t('Session ended.')}
      work={() => callForItems('DELETE', '/sessions', { query: { ids: [id] } })}
      onDone={isOwn(id) ? () => forgetSession(t('You ended this session.')) : onDone}
    >
      {rich(t('{name} must sign in again, in all tabs of that browser.'), { name: <strong>{name}</strong> })}
    </Confirm>
  );
}
