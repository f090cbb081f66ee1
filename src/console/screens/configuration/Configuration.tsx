import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useVersioned } from '../../api/useApi.ts';
import { words } from '../../format.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { NotFound } from '../NotFound.tsx';
import { AuditLog } from './AuditLog.tsx';
import { ConfigFile } from './ConfigFile.tsx';
import { type Item, KINDS, type Kind, nameOf, PARTS } from './entityLists.ts';
import { ItemForm } from './ItemForm.tsx';
import { ItemList } from './ItemList.tsx';
import { SettingsForm, StreakForm } from './Singletons.tsx';
import { Versions } from './Versions.tsx';
import { WebhookCards } from './WebhookCards.tsx';

const BASE = '/console/configuration';
const [METRICS, ...OTHERS] = KINDS.map(({ name, many }) => ({ name, label: many }));
export const CONFIGURATION_TABS = [
  METRICS!,
  { name: 'streak', label: 'Streak' },
  ...OTHERS,
  { name: 'settings', label: 'Settings' },
  { name: 'file', label: 'File' },
  { name: 'history', label: 'History' },
];

function Screen({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Page key={title} title={title} actions={actions}>
      <Tabs label="Configuration" base={BASE} tabs={CONFIGURATION_TABS} />
      {children}
    </Page>
  );
}

const NewLink = ({ address, kind }: { address: string; kind: Kind }) => (
  <Allowed to="admin">
    <a class="button primary" href={`${address}/new`}>
      New {kind.one}
    </a>
  </Allowed>
);

/** The list of a kind, or what a tenant has one of. */
export function Configuration({ kind: name = 'metrics' }: { kind?: string }) {
  const kind = KINDS.find((one) => one.name === name);
  if (kind !== undefined) {
    const address = `${BASE}/${kind.name}`;
    return (
      <Screen key={name} title={kind.many} actions={<NewLink address={address} kind={kind} />}>
        <Card>
          <ItemList kind={kind} path={kind.path} address={address} />
        </Card>
      </Screen>
    );
  }
  const single = SINGLES[name];
  if (single === undefined) return <NotFound />;
  return (
    <Screen key={name} title={single.title}>
      {single.content()}
    </Screen>
  );
}

const SINGLES: Record<string, { title: string; content(): ComponentChildren }> = {
  streak: { title: 'Streak', content: () => <StreakForm /> },
  settings: { title: 'Settings', content: () => <SettingsForm /> },
  file: { title: 'Configuration file', content: () => <ConfigFile /> },
  history: { title: 'History', content: () => <Versions /> },
};

/** One item, or the form of a new one; a points system with its parts. */
export function ConfigurationItem({ kind: name, id }: { kind: string; id: string }) {
  const { route } = useLocation();
  const kind = KINDS.find((one) => one.name === name);
  const isNew = id === 'new';
  const item = useVersioned<Item>(kind === undefined || isNew ? null : `${kind.path}/${id}`);
  if (kind === undefined) return <NotFound />;
  const address = `${BASE}/${kind.name}`;
  if (isNew) {
    return (
      <Screen key="new" title={`New ${kind.one}`}>
        <Card note={kind.purpose}>
          <ItemForm
            kind={kind}
            path={kind.path}
            onSaved={(saved) => route(kind.name === 'points' ? `${address}/${saved.id}` : address)}
          />
        </Card>
      </Screen>
    );
  }
  return (
    <Screen key={id} title={item.data ? nameOf(item.data.value) : kind.one}>
      <Loading of={item}>
        {(data) => (
          <>
            <Card>
              <ItemForm
                key={JSON.stringify(data.value)}
                kind={kind}
                path={kind.path}
                item={data}
                onSaved={item.reload}
                onReload={item.reload}
              />
            </Card>
            {kind.name === 'points' && <Parts address={`${address}/${id}`} path={`${kind.path}/${id}`} />}
            {kind.name === 'webhooks' && <WebhookCards id={id} />}
            <Card title="History">
              <AuditLog id={id} />
            </Card>
          </>
        )}
      </Loading>
    </Screen>
  );
}

function Parts({ address, path }: { address: string; path: string }) {
  return (
    <>
      {PARTS.map((part) => (
        <Card
          key={part.name}
          title={part.many}
          actions={
            <Allowed to="admin">
              <a href={`${address}/${part.name}/new`}>New {part.one}</a>
            </Allowed>
          }
        >
          <ItemList kind={part} path={path + part.path} address={`${address}/${part.name}`} />
        </Card>
      ))}
    </>
  );
}

/** A level, trigger or boost of a points system. */
export function ConfigurationPart({ id, part: name, partId }: { id: string; part: string; partId: string }) {
  const { route } = useLocation();
  const part = PARTS.find((one) => one.name === name);
  const isNew = partId === 'new';
  const path = `/points/${id}${part?.path}`;
  const item = useVersioned<Item>(part === undefined || isNew ? null : `${path}/${partId}`);
  if (part === undefined) return <NotFound />;
  const back = (): void => route(`${BASE}/points/${id}`);
  return (
    <Screen
      key={partId}
      title={isNew ? `New ${part.one}` : isAllowed('admin') ? `Change the ${part.one}` : words(part.one)}
      actions={<a href={`${BASE}/points/${id}`}>Back to the points system</a>}
    >
      {isNew ? (
        <Card note={part.purpose}>
          <ItemForm kind={part} path={path} onSaved={back} />
        </Card>
      ) : (
        <Loading of={item}>
          {(data) => (
            <Card>
              <ItemForm
                key={JSON.stringify(data.value)}
                kind={part}
                path={path}
                item={data}
                onSaved={back}
                onReload={item.reload}
              />
            </Card>
          )}
        </Loading>
      )}
    </Screen>
  );
}
