import { ADMIN, callForItems } from '../../api/client.ts';
import { forgetSession, session as own } from '../../api/session.ts';
import type { ConsoleSession } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { NONE } from '../../format.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';
import { auditOf } from '../configuration/AuditLog.tsx';

/** Who is signed in to the console. */
export function Sessions() {
  const sessions = useList<ConsoleSession>('/sessions');
  return (
    <Loading of={sessions}>
      {(all) => (
        <Table
          label="Sessions"
          rows={all}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Signed in with', cell: ({ id, name }) => (isOwn(id) ? `${name} (you)` : name) },
            { title: 'Subject', cell: ({ subject }) => subject ?? NONE },
            { title: 'Role', cell: ({ role }) => role },
            { title: 'Tenant', cell: ({ tenant }) => tenant ?? 'every tenant' },
            { title: 'Since', cell: ({ created }) => <Instant at={created} /> },
            { title: 'Last use', cell: ({ lastUsed }) => <Instant at={lastUsed} /> },
            { title: 'Expires', cell: ({ expires }) => <Instant at={expires} /> },
            { title: 'Changes', cell: ({ name }) => <a href={auditOf(name)}>Audit</a> },
            { title: '', cell: (session) => <EndButton session={session} onDone={sessions.reload} /> },
          ]}
        />
      )}
    </Loading>
  );
}

const isOwn = (id: string): boolean => id === own.value?.id;

function EndButton({ session: { id, name }, onDone }: { session: ConsoleSession; onDone(): void }) {
  const end = (): Promise<unknown> =>
    callForItems<{ issues: [] }>('DELETE', `${ADMIN}/sessions`, { query: { ids: [id] } });
  return (
    <Confirm
      label="End"
      isDangerous
      needs="admin"
      done="The session was ended."
      work={end}
      onDone={isOwn(id) ? () => forgetSession('You ended this session.') : onDone}
    >
      Whoever signed in with <strong>{name}</strong> must sign in again, in all tabs of that browser.
    </Confirm>
  );
}
