import { ADMIN, callForItems } from '../../api/client.ts';
import { useVersionedList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { badgeOf, type Item, type Kind, nameOf } from './entityLists.ts';

interface ItemListProps {
  kind: Kind;
  /** Where the API has them, and the console. */
  path: string;
  address: string;
}

export function ItemList({ kind, path, address }: ItemListProps) {
  const items = useVersionedList<Item>(path);
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
              { title: 'Name', cell: (item) => <ItemName item={item} address={address} /> },
              ...kind.columns,
              {
                title: '',
                cell: (item) => (
                  <span class="row end">
                    <Confirm
                      label="Delete"
                      isDangerous
                      needs="admin"
                      done={`${nameOf(item)} was deleted.`}
                      work={() => remove(item.id, etag)}
                    >
                      <strong>{nameOf(item)}</strong> is removed from the configuration. What users did stays
                      in the history.
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

function ItemName({ item, address }: { item: Item; address: string }) {
  const badge = badgeOf(item);
  return (
    <>
      {badge !== undefined && <Badge url={badge} name={nameOf(item)} />}{' '}
      <a href={`${address}/${item.id}`}>{nameOf(item)}</a>
    </>
  );
}
