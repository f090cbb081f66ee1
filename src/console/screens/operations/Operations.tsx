import type { ComponentChildren } from 'preact';
import { Card, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { AuditLog } from '../configuration/AuditLog.tsx';
import { NotFound } from '../NotFound.tsx';
import { Activations } from './Activations.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Imports } from './Imports.tsx';
import { Keys } from './Keys.tsx';
import { Notifications } from './Notifications.tsx';
import { Sessions } from './Sessions.tsx';
import { StatusOfWork } from './Status.tsx';
import { Tenants } from './Tenants.tsx';

export const OPERATIONS_TABS: { name: string; label: string; content(): ComponentChildren }[] = [
  { name: 'status', label: 'Background work', content: () => <StatusOfWork /> },
  { name: 'deliveries', label: 'Webhook deliveries', content: () => <Deliveries /> },
  { name: 'notifications', label: 'Notifications', content: () => <Notifications /> },
  { name: 'activations', label: 'Activations', content: () => <Activations /> },
  { name: 'imports', label: 'Imports', content: () => <Imports /> },
  { name: 'keys', label: 'Keys', content: () => <Keys /> },
  { name: 'sessions', label: 'Sessions', content: () => <Sessions /> },
  { name: 'tenants', label: 'Tenants', content: () => <Tenants /> },
  { name: 'audit', label: 'Audit', content: () => <AuditLog /> },
];

/** What runs in the background, and who has access. */
export function Operations({ part: name = OPERATIONS_TABS[0]!.name }: { part?: string }) {
  const part = OPERATIONS_TABS.find((one) => one.name === name);
  if (part === undefined) return <NotFound />;
  return (
    <Page key={name} title={part.label}>
      <Tabs label="Operations" base="/console/operations" tabs={OPERATIONS_TABS} />
      <Card>{part.content()}</Card>
    </Page>
  );
}
