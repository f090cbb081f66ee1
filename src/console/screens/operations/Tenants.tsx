import { callForItems } from '../../api/client.ts';
import { chooseTenant } from '../../api/session.ts';
import { forgetAnswers, useApi, useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { schemaOf } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';

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
        none={t('No tenants yet')}
        hint={
          <>
            <span>{t('Tenants are your customers. Each has its own users and configuration.')}</span>
            {settings?.multiTenancy === false && isAllowed('admin') && (
              <a href="/console/configuration/settings">{t('Turn on multi-tenancy in the settings')}</a>
            )}
          </>
        }
        label={t('Tenants')}
        keyOf={({ id }) => id}
        columns={[
          { title: t('Name'), cell: ({ name }) => name },
          { title: t('ID'), cell: ({ customerId }) => <span class="code">{customerId}</span> },
          { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
          { title: t('Created'), cell: ({ created }) => <Instant at={created} /> },
          {
            title: '',
            cell: ({ customerId, status }) =>
              status === 'active' && (
                <button type="button" onClick={() => choose(customerId)}>
                  {t('Show')}
                </button>
              ),
          },
        ]}
      />
      {settings?.multiTenancy && isAllowed('admin') && (
        <>
          <h2>{t('New tenant')}</h2>
          <SchemaForm
            schema={schemaOf('tenants')}
            initial={{}}
            submitLabel={t('Create tenant')}
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
