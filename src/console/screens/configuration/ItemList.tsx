import { ADMIN, callForItems } from '../../api/client.ts';
import { useVersionedList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import type { Undo } from '../../ui/announcements.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { badgeOf, formValue, type Item, type Kind, nameOf } from './entityLists.ts';
import { useNameOf } from './Meaning.tsx';
import { meaningOf } from './meaningText.ts';

interface ItemListProps {
  kind: Kind;
  /** Where the API has them, and the console. */
  path: string;
  address: string;
}

export function ItemList({ kind, path, address }: ItemListProps) {
  const items = useVersionedList<Item>(path);
  // A trigger has no name: what it does tells it apart.
  const isUnnamed = kind.name === 'triggers';
  const nameOfId = useNameOf(isUnnamed);
  const shownName = (item: Item): string =>
    (isUnnamed && meaningOf(kind.name, item, nameOfId)) || nameOf(item);
  const makeAgain = (item: Item): Undo | null =>
    kind.lost === null ? () => callForItems('POST', ADMIN + path, { body: [formValue(kind, item)] }) : null;
  // Refused if others have changed the item; the list is read again then, and shows what they changed.
  const remove = (id: string, etag: string | null) =>
    callForItems<{ issues: [] }>('DELETE', ADMIN + path, { query: { ids: [id] }, etag }).finally(
      items.reload,
    );
  return (
    <Loading of={items}>
      {({ value: all, etag }) =>
        all.length === 0 ? (
          <Empty title={`There is no ${kind.one} yet`}>
            <span>{kind.purpose}</span>
            <Allowed to="admin">
              <a href={`${address}/new`}>Create one</a>
            </Allowed>
          </Empty>
        ) : (
          <Table
            label={kind.many}
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Name',
                cell: (item) => <ItemName item={item} name={shownName(item)} address={address} />,
              },
              ...kind.columns,
              {
                title: '',
                cell: (item) => (
                  <span class="row end">
                    <Confirm
                      label="Delete"
                      isDangerous
                      needs="admin"
                      done={`${shownName(item)} was deleted.`}
                      undo={makeAgain(item)}
                      work={() => remove(item.id, etag)}
                    >
                      <strong>{shownName(item)}</strong> is removed from the configuration. What users did
                      stays in the history. <Lost kind={kind} />
                    </Confirm>
                  </span>
                ),
              },
            ]}
          />
        )
      }
    </Loading>
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

/** What nobody can take back. */
const Lost = ({ kind: { one, lost } }: { kind: Kind }) =>
  lost === null ? null : (
    <>
      An earlier version of the configuration makes the {one} again, but under a new id: {lost}.
    </>
  );
