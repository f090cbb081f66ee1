import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { useVersioned } from '../../api/useApi.ts';
import { capital } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { NotFound } from '../NotFound.tsx';
import { AuditLog } from './AuditLog.tsx';
import { ConfigFile } from './ConfigFile.tsx';
import { CONFIGURATION, CONFIGURATION_TABS } from './configurationTabs.ts';
import { type Item, KINDS, type Kind, nameOf, PARTS } from './entityLists.ts';
import { ItemForm } from './ItemForm.tsx';
import { ItemList } from './ItemList.tsx';
import { SettingsForm, StreakForm } from './Singletons.tsx';
import { VariantCard } from './VariantCard.tsx';
import { Versions } from './Versions.tsx';
import { WebhookCards } from './WebhookCards.tsx';

interface ScreenProps {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

function Screen({ title, actions, children }: ScreenProps) {
  return (
    <Page key={title} title={title} actions={actions}>
      <Tabs label={t('Configuration')} base={CONFIGURATION} tabs={CONFIGURATION_TABS} />
      {children}
    </Page>
  );
}

/** The list of a kind, or a form that exists once per tenant. */
export function Configuration({ kind: name = 'metrics' }: { kind?: string }) {
  const kind = KINDS.find((one) => one.name === name);
  const single = SINGLES[name];
  if (single) {
    return (
      <Screen key={name} title={single.title}>
        {single.content()}
      </Screen>
    );
  }
  if (kind === undefined) return <NotFound />;
  const address = `${CONFIGURATION}/${name}`;
  const newLink = (
    <Allowed to="admin">
      <a class="button primary" href={`${address}/new`}>
        {t('New {one}', { one: kind.one })}
      </a>
    </Allowed>
  );
  return (
    <Screen key={name} title={kind.many} actions={newLink}>
      <Card>
        <ItemList kind={kind} path={kind.path} address={address} />
      </Card>
    </Screen>
  );
}

const SINGLES: Record<string, { title: string; content(): ComponentChildren }> = {
  streak: { title: t('Streak'), content: () => <StreakForm /> },
  settings: { title: t('Settings'), content: () => <SettingsForm /> },
  file: { title: t('Configuration file'), content: () => <ConfigFile /> },
  history: { title: t('History'), content: () => <Versions /> },
};

interface ItemScreenProps {
  kind: Kind;
  /** Of the kind in the API. */
  path: string;
  /** Of the item, or `new`. */
  id: string;
  titleOf(item: Item | undefined): string;
  actions?: ComponentChildren;
  /** Called with a new item. */
  onCreated(item: Item): void;
  /** Called after a change; shows the changed item without it. */
  onChanged?(): void;
  /** Below the form of an item. */
  children?: ComponentChildren;
}

/** The form of an item or of a new one. */
function ItemScreen(props: ItemScreenProps) {
  const { kind, path, id, titleOf, actions, onCreated, onChanged, children } = props;
  const isNew = id === 'new';
  const item = useVersioned<string, Item>(isNew ? null : `${path}/${id}`);
  return (
    <Screen
      key={id}
      title={isNew ? t('New {one}', { one: kind.one }) : titleOf(item.data?.value)}
      actions={actions}
    >
      {isNew ? (
        <Card note={kind.purpose}>
          <ItemForm kind={kind} path={path} onSaved={onCreated} />
        </Card>
      ) : (
        <Loading of={item}>
          {(data) => (
            <>
              <Card>
                <ItemForm
                  key={JSON.stringify(data.value)}
                  kind={kind}
                  path={path}
                  item={data}
                  onSaved={onChanged ?? item.reload}
                  onReload={item.reload}
                />
              </Card>
              {children}
            </>
          )}
        </Loading>
      )}
    </Screen>
  );
}

/** An item of a kind; a points system with its parts. */
export function ConfigurationItem({ kind: name, id }: { kind: string; id: string }) {
  const { route } = useLocation();
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined) return <NotFound />;
  const address = `${CONFIGURATION}/${kind.name}`;
  return (
    <ItemScreen
      key={id}
      kind={kind}
      path={kind.path}
      id={id}
      titleOf={(item) => (item ? nameOf(item) : kind.one)}
      onCreated={(item) => route(kind.name === 'points' ? `${address}/${item.id}` : address)}
    >
      {kind.name === 'points' && <Parts address={`${address}/${id}`} path={`${kind.path}/${id}`} />}
      {kind.name === 'webhooks' && <WebhookCards id={id} />}
      {kind.name === 'templates' && <VariantCard id={id} />}
      <Card title={t('History')}>
        <AuditLog id={id} />
      </Card>
    </ItemScreen>
  );
}

/** A level, trigger or boost of a points system. */
export function ConfigurationPart({ id, part: name, partId }: { id: string; part: string; partId: string }) {
  const { route } = useLocation();
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) return <NotFound />;
  const system = `${CONFIGURATION}/points/${id}`;
  return (
    <ItemScreen
      key={partId}
      kind={part}
      path={`/points/${id}${part.path}`}
      id={partId}
      titleOf={() => (isAllowed('admin') ? t('Edit {one}', { one: part.one }) : capital(part.one))}
      actions={<a href={system}>{t('Back to the points system')}</a>}
      onCreated={() => route(system)}
      onChanged={() => route(system)}
    />
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
              <a href={`${address}/${part.name}/new`}>{t('New {one}', { one: part.one })}</a>
            </Allowed>
          }
        >
          <ItemList kind={part} path={path + part.path} address={`${address}/${part.name}`} />
        </Card>
      ))}
    </>
  );
}
