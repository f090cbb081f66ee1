import { canRead } from '../../api/session.ts';

/** Address of the operations. */
export const OPERATIONS = '/console/operations';

interface Tab {
  name: string;
  label: string;
  /** It shows the whole account, which sessions of one tenant cannot read. */
  scope?: 'account';
}

const TABS = [
  { name: 'status', label: 'Status', scope: 'account' },
  { name: 'deliveries', label: 'Webhook deliveries' },
  { name: 'notifications', label: 'Notifications' },
  { name: 'activations', label: 'Activations' },
  { name: 'imports', label: 'Imports' },
  { name: 'keys', label: 'Keys', scope: 'account' },
  { name: 'tokens', label: 'User tokens' },
  { name: 'sessions', label: 'Sessions', scope: 'account' },
  { name: 'tenants', label: 'Tenants', scope: 'account' },
  { name: 'audit', label: 'Audit log' },
] as const satisfies Tab[];

export type OperationsTab = (typeof TABS)[number];

/** The tabs that the session may read. */
export const operationsTabs = (): OperationsTab[] => TABS.filter((tab: Tab) => canRead(tab));
