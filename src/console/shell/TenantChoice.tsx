import { chooseTenant, ofAccount, tenant } from '../api/session.ts';
import type { Tenant } from '../api/types.ts';
import { forgetAnswers, useList } from '../api/useApi.ts';
import { Tenants } from '../screens/operations/Tenants.tsx';
import { Card, Page } from '../ui/Page.tsx';

/** The pause after which tenants are read again. They are also read after each change. */
const TENANTS_MS = 30_000;

/** Chooses the tenant that is shown, where there are tenants. */
export function TenantChoice() {
  const { data: tenants } = useList<Tenant>(ofAccount('/tenants'), {}, { everyMs: TENANTS_MS });
  if (!tenants || tenants.length === 0) return null;
  const choose = (chosen: string): void => {
    forgetAnswers();
    chooseTenant(chosen || null);
  };
  return (
    <div class="field">
      <label for="tenant">Tenant</label>
      <select id="tenant" value={tenant.value ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">(the account)</option>
        {tenants
          .filter(({ status }) => status === 'active')
          .map(({ customerId, name }) => (
            <option key={customerId} value={customerId}>
              {name}
            </option>
          ))}
      </select>
    </div>
  );
}

/** Instead of a screen that shows one tenant, while none is chosen. */
export function ChooseTenant() {
  return (
    <Page
      title="Choose a tenant"
      lead="With multi-tenancy, users and the configuration belong to a tenant."
      actions={<a href="/console/configuration/settings">Settings of the account</a>}
    >
      <Card>
        <Tenants />
      </Card>
    </Page>
  );
}
