import { callForItems } from '../../api/client.ts';
import { chooseTenant } from '../../api/session.ts';
import { forgetAnswers, useApi, useList } from '../../api/useApi.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { schemaOf } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Tenants of an account with multi-tenancy. */
export function Tenants() {
  const tenants = useList('/tenants');
  const settings = useApi('/settings').data;
  const choose = (tenant: string): void => {
    forgetAnswers();
    chooseTenant(tenant);
  };
  return (
    <>
      <ListTable
        of={tenants}
        none="No tenants yet"
        hint={
          <>
            <span>Tenants are your customers. Each has its own users and configuration.</span>
            {settings?.multiTenancy === false && isAllowed('admin') && (
              <a href="/console/configuration/settings">Turn on multi-tenancy in the settings</a>
            )}
          </>
        }
        label="Tenants"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'ID', cell: ({ customerId }) => <span class="code">{customerId}</span> },
          { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
          { title: 'Created', cell: ({ created }) => <Instant at={created} /> },
          {
            title: '',
            cell: ({ customerId, status }) =>
              status === 'active' && (
                <button type="button" onClick={() => choose(customerId)}>
                  Show
                </button>
              ),
          },
        ]}
      />
      {settings?.multiTenancy && isAllowed('admin') && (
        <>
          <h2>New tenant</h2>
          <SchemaForm
            schema={schemaOf('tenants')}
            initial={{}}
            submitLabel="Create tenant"
            needs="admin"
            onSubmit={async (value) => {
              await callForItems('POST', '/tenants', { body: [value] });
              void tenants.reload();
            }}
          />
        </>
      )}
    </>
  );
}
