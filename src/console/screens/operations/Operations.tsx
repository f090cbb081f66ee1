import type { ComponentChildren } from 'preact';
import { t } from '../../text/translate.ts';
import { Card, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { NotFound } from '../NotFound.tsx';
import { Activations } from './Activations.tsx';
import { AuditScreen } from './AuditScreen.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Imports } from './Imports.tsx';
import { Keys } from './Keys.tsx';
import { Notifications } from './Notifications.tsx';
import { OPERATIONS, type OperationsTab, operationsTabs } from './operationsTabs.ts';
import { Sessions } from './Sessions.tsx';
import { StatusOfWork } from './Status.tsx';
import { Tenants } from './Tenants.tsx';
import { TokenSecrets } from './TokenSecrets.tsx';

const CONTENT: Record<OperationsTab['name'], () => ComponentChildren> = {
  status: () => <StatusOfWork />,
  deliveries: () => <Deliveries />,
  notifications: () => <Notifications />,
  activations: () => <Activations />,
  imports: () => <Imports />,
  keys: () => <Keys />,
  tokens: () => <TokenSecrets />,
  sessions: () => <Sessions />,
  tenants: () => <Tenants />,
  audit: () => <AuditScreen />,
};

/** Background work and access. */
export function Operations({ part: asked }: { part?: string }) {
  const tabs = operationsTabs();
  const part = asked === undefined ? tabs[0] : tabs.find(({ name }) => name === asked);
  if (part === undefined) return <NotFound />;
  return (
    <Page key={part.name} title={part.label}>
      <Tabs label={t('Operations')} base={OPERATIONS} tabs={tabs} />
      <Card>{CONTENT[part.name]()}</Card>
    </Page>
  );
}
