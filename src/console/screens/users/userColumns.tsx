import type { ListedUser } from '../../../contract/listedUsers.ts';
import { formatDate, formatNumber, NONE, words } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { Instant } from '../../ui/Instant.tsx';
import type { Column } from '../../ui/Table.tsx';
import { StatusTag, Tag } from '../../ui/Tiles.tsx';
import type { ShownSystem } from './filterText.ts';
import { UserLink } from './userAddress.tsx';

export interface UserColumn extends Column<ListedUser> {
  /** Identifies the column in the settings of the browser, and heads it in a file. */
  name: string;
  /** Its value in a file. */
  text(user: ListedUser): string | number;
  /** Its columns in a file, if they are others. */
  file?: { head: string; text(user: ListedUser): string | number }[];
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
export const USUAL_COLUMNS = ['user', 'email', 'points', 'streak', 'achievements', 'lastActive'];

const levelName = ({ levels }: ShownSystem, key: string | null): string =>
  levels.find((level) => level.key === key)?.name ?? key ?? '';

/** @param system the points system whose totals and levels are shown; undefined without any */
export function userColumns(system: ShownSystem | undefined): UserColumn[] {
  return [USER, EMAIL, ...(system ? pointsColumns(system) : []), ...PROGRESS, ATTRIBUTES, CREATED, ACTIVE];
}

const USER: UserColumn = {
  name: 'user',
  title: t('User'),
  order: 'id',
  text: ({ id }) => id,
  file: [
    { head: words('user'), text: ({ id }) => id },
    { head: words('name'), text: ({ name }) => name ?? '' },
    { head: words('blocked'), text: ({ block }) => (block === null ? '' : 'yes') },
  ],
  cell: ({ id, name, control, block }) => (
    <>
      <UserLink id={id} name={name} /> {control && <Tag text={t('control group')} />}{' '}
      {block && <StatusTag status="blocked" />}
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
  ...plain({ name: 'email', title: t('Email'), text: ({ email }) => email ?? '' }),
  file: [
    { head: words('email'), text: ({ email }) => email ?? '' },
    { head: words('emails'), text: emailState },
  ],
  cell: (user) => (
    <>
      {user.email || NONE} {emailState(user) === 'unsubscribed' && <Tag text={t('unsubscribed')} />}
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
      file: [{ head: system.name, text: ({ points }) => points[system.key]?.total ?? 0 }],
    },
    true,
  ),
  plain({
    name: 'level',
    title: t('Level'),
    text: ({ points }) => levelName(system, points[system.key]?.level ?? null),
  }),
];

const PROGRESS: UserColumn[] = [
  plain({ name: 'streak', title: t('Streak'), order: 'streak', text: ({ streak }) => streak }, true),
  plain({ name: 'freezes', title: t('Freezes'), text: ({ freezes }) => freezes }, true),
  plain({ name: 'achievements', title: t('Achievements'), text: ({ achievements }) => achievements }, true),
];

const attributesOf = ({ attributes }: ListedUser): string[] =>
  Object.entries(attributes).map(([key, value]) => `${key}: ${value}`);
const ATTRIBUTES: UserColumn = {
  name: 'attributes',
  title: t('Attributes'),
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
  title: t('Created'),
  order: 'created',
  text: ({ created }) => created,
  cell: ({ created }) => <Instant at={created} />,
};
const ACTIVE: UserColumn = {
  name: 'lastActive',
  title: t('Last active'),
  order: 'active',
  text: ({ lastActive }) => lastActive ?? '',
  cell: ({ lastActive }) => (lastActive ? <time dateTime={lastActive}>{formatDate(lastActive)}</time> : NONE),
};
