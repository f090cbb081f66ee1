import { callForItems } from '../../api/client.ts';
import { useVersionedList } from '../../api/useApi.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import type { Undo } from '../../ui/announcements.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Table } from '../../ui/Table.tsx';
import { badgeOf, formValue, type Item, type Kind, nameOf } from './entityLists.ts';
import { useNameOf } from './Meaning.tsx';
import { meaningOf } from './meaningText.ts';

interface ItemListProps {
  kind: Kind;
  /** In the API. */
  path: string;
  /** In the console. */
  address: string;
}

export function ItemList({ kind, path, address }: ItemListProps) {
  const items = useVersionedList<Item>(path);
  // Triggers have no name; they are shown by their meaning.
  const isUnnamed = kind.name === 'triggers';
  const nameOfId = useNameOf(isUnnamed);
  const shownName = (item: Item): string =>
    (isUnnamed && meaningOf(kind.name, item, nameOfId)) || nameOf(item);
  const makeAgain = (item: Item): Undo | null =>
    kind.lost === null ? () => callForItems('POST', path, { body: [formValue(kind, item)] }) : null;
  // Refused if others have changed the item. The list is read again and shows their changes.
  const remove = (id: string, etag: string | null) =>
    callForItems('DELETE', path, { query: { ids: [id] }, etag }).finally(items.reload);
  return (
    <Listing
      of={items}
      rows={({ value }) => value}
      none={kind.none}
      hint={
        <>
          <span>{kind.purpose}</span>
          <Allowed to="admin">
            <a href={`${address}/new`}>{kind.create}</a>
          </Allowed>
        </>
      }
    >
      {({ value: all, etag }) => (
        <Table
          label={kind.many}
          rows={all}
          keyOf={({ id }) => id}
          columns={[
            {
              title: t('Name'),
              cell: (item) => <ItemName item={item} name={shownName(item)} address={address} />,
            },
            ...kind.columns,
            {
              title: '',
              cell: (item) => (
                <span class="row end">
                  <Confirm
                    label={t('Delete')}
                    isDangerous
                    needs="admin"
                    done={t('{item} deleted.', { item: shownName(item) })}
                    undo={makeAgain(item)}
                    work={() => remove(item.id, etag)}
                  >
                    {rich(t('{item} is removed from the configuration. The history of users is kept.'), {
                      item: <strong>{shownName(item)}</strong>,
                    })}{' '}
                    <Lost kind={kind} />
                  </Confirm>
                </span>
              ),
            },
          ]}
        />
      )}
    </Listing>
  );
}

interface ItemNameProps {
  item: Item;
  name: string;
  address: string;
}

function ItemName({ item, name, address }: ItemNameProps) {
  const badge = badgeOf(item);
  return (
    <>
      {badge !== undefined && <Badge url={badge} name={name} />} <a href={`${address}/${item.id}`}>{name}</a>
    </>
  );
}

/** What cannot be undone. */
const Lost = ({ kind: { one, lost } }: { kind: Kind }) =>
  lost === null
    ? null
    : t('Restoring an earlier version creates the {one} again, but with a new ID: {lost}.', { one, lost });
