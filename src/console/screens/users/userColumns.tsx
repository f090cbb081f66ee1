import type { ListedUser } from '../../../contract/listedUsers.ts';
import { formatDate, formatNumber, NONE } from '../../text/format.ts';
import { Instant } from '../../ui/Instant.tsx';
import type { Column } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import type { ShownSystem } from './filterText.ts';
import { UserLink } from './userAddress.tsx';

export interface UserColumn extends Column<ListedUser> {
  /** Identifies the column in the settings of the browser. */
  name: string;
  /** Its value in a file. */
  text(user: ListedUser): string | number;
  /** Its columns in a file, if they are others. */
  file?: { title: string; text(user: ListedUser): string | number }[];
  /** Order of the list that starts with the greatest or newest value. */
  order?: string;
}

/** A column whose cells show the values of the file. */
function plain(column: Omit<UserColumn, 'cell' | 'isNumber'>, isNumber = false): UserColumn {
  const cell = (user: ListedUser): string => {
    const text = column.text(user);
    return typeof text === 'number' ? formatNumber(text) : text || NONE;
  };
  return { ...column, isNumber, cell };
}

/** Columns that are shown by default. */
export const USUAL_COLUMNS = ['user', 'email', 'points', 'streak', 'achievements', 'active'];

const levelName = ({ levels }: ShownSystem, key: string | null): string =>
  levels.find((level) => level.key === key)?.name ?? key ?? '';

/** @param system the points system whose totals and levels are shown; undefined without any */
export function userColumns(system: ShownSystem | undefined): UserColumn[] {
  return [USER, EMAIL, ...(system ? pointsColumns(system) : []), ...PROGRESS, ATTRIBUTES, CREATED, ACTIVE];
}

const USER: UserColumn = {
  name: 'user',
  title: 'User',
  order: 'id',
  text: ({ id }) => id,
  file: [
    { title: 'User', text: ({ id }) => id },
    { title: 'Name', text: ({ name }) => name ?? '' },
    { title: 'Blocked', text: ({ block }) => (block === null ? '' : 'yes') },
  ],
  cell: ({ id, name, control, block }) => (
    <>
      <UserLink id={id} name={name} /> {control && <Tag text="control group" />}{' '}
      {block && <Tag text="blocked" />}
      {name && <div class="soft small">{id}</div>}
    </>
  ),
};
/** Whether emails can reach a user. */
const emailState = ({ email, subscribeToEmails }: ListedUser): string => {
  if (!email) return 'no address';
  return subscribeToEmails ? 'subscribed' : 'unsubscribed';
};
const EMAIL: UserColumn = {
  ...plain({ name: 'email', title: 'Email', text: ({ email }) => email ?? '' }),
  file: [
    { title: 'Email', text: ({ email }) => email ?? '' },
    { title: 'Emails', text: emailState },
  ],
  cell: (user) => (
    <>
      {user.email || NONE} {emailState(user) === 'unsubscribed' && <Tag text="unsubscribed" />}
    </>
  ),
};

const pointsColumns = (system: ShownSystem): UserColumn[] => [
  plain(
    {
      name: 'points',
      title: system.name,
      order: 'points',
      text: ({ points }) => points[system.key]?.total ?? 0,
    },
    true,
  ),
  plain({
    name: 'level',
    title: 'Level',
    text: ({ points }) => levelName(system, points[system.key]?.level ?? null),
  }),
];

const PROGRESS: UserColumn[] = [
  plain({ name: 'streak', title: 'Streak', order: 'streak', text: ({ streak }) => streak }, true),
  plain({ name: 'freezes', title: 'Freezes', text: ({ freezes }) => freezes }, true),
  plain({ name: 'achievements', title: 'Achievements', text: ({ achievements }) => achievements }, true),
];

const attributesOf = ({ attributes }: ListedUser): string[] =>
  Object.entries(attributes).map(([key, value]) => `${key}: ${value}`);
const ATTRIBUTES: UserColumn = {
  name: 'attributes',
  title: 'Attributes',
  text: (user) => attributesOf(user).join(', '),
  cell: (user) => (
    <span class="row">
      {attributesOf(user).map((text) => (
        <Tag key={text} text={text} />
      ))}
    </span>
  ),
};
const CREATED: UserColumn = {
  name: 'created',
  title: 'Created',
  order: 'created',
  text: ({ created }) => created,
  cell: ({ created }) => <Instant at={created} />,
};
const ACTIVE: UserColumn = {
  name: 'active',
  title: 'Last active',
  order: 'active',
  text: ({ lastActive }) => lastActive ?? '',
  cell: ({ lastActive }) => (lastActive ? <time dateTime={lastActive}>{formatDate(lastActive)}</time> : NONE),
};
