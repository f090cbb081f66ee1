import type { ComponentChildren } from 'preact';
import { canRead } from '../../api/session.ts';
import { Card, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { NotFound } from '../NotFound.tsx';
import { Activations } from './Activations.tsx';
import { AuditScreen } from './AuditScreen.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Imports } from './Imports.tsx';
import { Keys } from './Keys.tsx';
import { Notifications } from './Notifications.tsx';
import { Sessions } from './Sessions.tsx';
import { StatusOfWork } from './Status.tsx';
import { Tenants } from './Tenants.tsx';
import { TokenSecrets } from './TokenSecrets.tsx';

interface Part {
  name: string;
  label: string;
  /** It shows the whole account, which sessions of one tenant cannot read. */
  scope?: 'account';
  content(): ComponentChildren;
}

const PARTS: Part[] = [
  { name: 'status', label: 'Status', scope: 'account', content: () => <StatusOfWork /> },
  { name: 'deliveries', label: 'Webhook deliveries', content: () => <Deliveries /> },
  { name: 'notifications', label: 'Notifications', content: () => <Notifications /> },
  { name: 'activations', label: 'Activations', content: () => <Activations /> },
  { name: 'imports', label: 'Imports', content: () => <Imports /> },
  { name: 'keys', label: 'Keys', scope: 'account', content: () => <Keys /> },
  { name: 'tokens', label: 'User tokens', content: () => <TokenSecrets /> },
  { name: 'sessions', label: 'Sessions', scope: 'account', content: () => <Sessions /> },
  { name: 'tenants', label: 'Tenants', scope: 'account', content: () => <Tenants /> },
  { name: 'audit', label: 'Audit log', content: () => <AuditScreen /> },
];

/** The parts that the session may read. */
export const operationsTabs = (): Part[] => PARTS.filter(canRead);

/** Background work and access. */
export function Operations({ part: asked }: { part?: string }) {
  const tabs = operationsTabs();
  const part = asked === undefined ? tabs[0] : tabs.find(({ name }) => name === asked);
  if (part === undefined) return <NotFound />;
  return (
    <Page key={part.name} title={part.label}>
      <Tabs label="Operations" base="/console/operations" tabs={tabs} />
      <Card>{part.content()}</Card>
    </Page>
  );
}
