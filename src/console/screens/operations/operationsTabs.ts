import { canRead } from '../../api/session.ts';
import { t } from '../../text/translate.ts';

/** Address of the operations. */
export const OPERATIONS = '/console/operations';

interface Tab {
  name: string;
  label: string;
  /** It shows the whole account, which sessions of one tenant cannot read. */
  scope?: 'account';
}

const TABS = [
  { name: 'status', label: t('Status'), scope: 'account' },
  { name: 'deliveries', label: t('Webhook deliveries') },
  { name: 'notifications', label: t('Notifications') },
  { name: 'activations', label: t('Activations') },
  { name: 'imports', label: t('Imports') },
  { name: 'keys', label: t('Keys'), scope: 'account' },
  { name: 'tokens', label: t('User tokens') },
  { name: 'sessions', label: t('Sessions'), scope: 'account' },
  { name: 'tenants', label: t('Tenants'), scope: 'account' },
  { name: 'audit', label: t('Audit log') },
] as const satisfies Tab[];

export type OperationsTab = (typeof TABS)[number];

/** The tabs that the session may read. */
export const operationsTabs = (): OperationsTab[] => TABS.filter((tab: Tab) => canRead(tab));
