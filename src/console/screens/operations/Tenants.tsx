import { ADMIN, callForItems } from '../../api/client.ts';
import { chooseTenant } from '../../api/session.ts';
import type { Settings, Tenant } from '../../api/types.ts';
import { forgetAnswers, useApi, useList } from '../../api/useApi.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Value } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Tenants of an account with multi-tenancy. */
export function Tenants() {
  const tenants = useList<Tenant>('/tenants');
  const settings = useApi<Settings>('/settings').data;
  const create = async (value: Value): Promise<void> => {
    await callForItems<{ issues: [] }>('POST', `${ADMIN}/tenants`, { body: [value] });
    tenants.reload();
  };
  const choose = (tenant: string): void => {
    forgetAnswers();
    chooseTenant(tenant);
  };
  return (
    <Loading of={tenants}>
      {(all) => (
        <>
          {all.length === 0 ? (
            <Empty title="There are no tenants">
              <span>Tenants are your customers, each with its own users and configuration.</span>
              {settings?.multiTenancy === false && isAllowed('admin') && (
                <a href="/console/configuration/settings">Switch multi-tenancy on in the settings</a>
              )}
            </Empty>
          ) : (
            <Table
              label="Tenants"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                { title: 'Id', cell: ({ customerId }) => <span class="code">{customerId}</span> },
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
          )}
          {settings?.multiTenancy && isAllowed('admin') && (
            <>
              <h2>New tenant</h2>
              <SchemaForm
                schema={schemaOf('tenants')}
                initial={{}}
                submitLabel="Create a tenant"
                needs="admin"
                onSubmit={create}
              />
            </>
          )}
        </>
      )}
    </Loading>
  );
}
