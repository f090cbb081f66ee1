import { callForItems } from '../../api/client.ts';
import { forgetSession, session as own } from '../../api/session.ts';
import type { ConsoleSession } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { NONE } from '../../text/format.ts';
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
      none="No sessions"
      label="Sessions"
      keyOf={({ id }) => id}
      columns={[
        { title: 'Signed in with', cell: ({ id, name }) => (isOwn(id) ? `${name} (you)` : name) },
        { title: 'Subject', cell: ({ subject }) => subject ?? NONE },
        { title: 'Role', cell: ({ role }) => role },
        { title: 'Tenant', cell: ({ tenant }) => tenant ?? 'All tenants' },
        { title: 'Since', cell: ({ created }) => <Instant at={created} /> },
        { title: 'Last used', cell: ({ lastUsed }) => <Instant at={lastUsed} /> },
        { title: 'Expires', cell: ({ expires }) => <Instant at={expires} /> },
        { title: 'Changes', cell: ({ name }) => <a href={auditOf(name)}>Audit log</a> },
        { title: '', cell: (session) => <EndButton session={session} onDone={sessions.reload} /> },
      ]}
    />
  );
}

const isOwn = (id: string): boolean => id === own.value?.id;

function EndButton({ session: { id, name }, onDone }: { session: ConsoleSession; onDone(): void }) {
  return (
    <Confirm
      label="End session"
      isDangerous
      needs="admin"
      done="Session ended."
      work={() => callForItems('DELETE', '/sessions', { query: { ids: [id] } })}
      onDone={isOwn(id) ? () => forgetSession('You ended this session.') : onDone}
    >
      <strong>{name}</strong> must sign in again, in all tabs of that browser.
    </Confirm>
  );
}
