import { chooseTenant, ofAccount, tenant } from '../api/session.ts';
import { forgetAnswers, useList } from '../api/useApi.ts';
import { t } from '../text/translate.ts';
import { Card, Page } from '../ui/Page.tsx';
import { Select } from '../ui/Select.tsx';
import { screenFrom } from './screenFrom.tsx';

const Tenants = screenFrom(() => import('../screens/operations/Tenants.tsx'), 'Tenants');

/** Polling interval of the tenants. They are also read after each change. */
const TENANTS_MS = 30_000;

/** Chooses the shown tenant, if there are tenants. */
export function TenantChoice() {
  const { data: tenants } = useList(ofAccount('/tenants'), {}, { everyMs: TENANTS_MS });
  if (!tenants || tenants.length === 0) return null;
  const choose = (chosen: string): void => {
    forgetAnswers();
    chooseTenant(chosen || null);
  };
  return (
    <div class="field">
      <label for="tenant">{t('Tenant')}</label>
      <Select
        id="tenant"
        value={tenant.value ?? ''}
        choices={tenants
          .filter(({ status }) => status === 'active')
          .map(({ customerId, name }) => ({ value: customerId, label: name }))}
        unset={t('(account)')}
        onChange={choose}
      />
    </div>
  );
}

/** Replaces the screens of a tenant while none is chosen. */
export function ChooseTenant() {
  return (
    <Page
      title={t('Choose a tenant')}
      lead={t('Users and configuration belong to a tenant.')}
      actions={<a href="/console/configuration/settings">{t('Account settings')}</a>}
    >
      <Card>
        <Tenants />
      </Card>
    </Page>
  );
}
