import type { ListedUser } from '../../../contract/listedUsers.ts';
import { formatDate, formatNumber, NONE } from '../../format.ts';
import { Instant } from '../../ui/Instant.tsx';
import type { Column } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import type { ShownSystem } from './filterText.ts';
import { userAddress } from './userAddress.ts';

export interface UserColumn extends Column<ListedUser> {
  /** Names the column in what the browser remembers. */
  name: string;
  /** What a file shows. */
  text(user: ListedUser): string | number;
  /** Order of the list that begins with the greatest or newest value. */
  order?: string;
}

/** Columns that are shown until somebody chooses others. */
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
  cell: ({ id, name, control }) => (
    <>
      <a href={userAddress(id)}>{name ?? id}</a> {control && <Tag text="control group" />}
      {name && <div class="soft small">{id}</div>}
    </>
  ),
};
const EMAIL: UserColumn = {
  name: 'email',
  title: 'Email',
  text: ({ email }) => email ?? '',
  cell: ({ email }) => email,
};

const pointsColumns = (system: ShownSystem): UserColumn[] => [
  {
    name: 'points',
    title: system.name,
    order: 'points',
    isNumber: true,
    text: ({ points }) => points[system.key]?.total ?? 0,
    cell: ({ points }) => formatNumber(points[system.key]?.total),
  },
  {
    name: 'level',
    title: 'Level',
    text: ({ points }) => levelName(system, points[system.key]?.level ?? null),
    cell: ({ points }) => levelName(system, points[system.key]?.level ?? null) || NONE,
  },
];

const PROGRESS: UserColumn[] = [
  {
    name: 'streak',
    title: 'Streak',
    order: 'streak',
    isNumber: true,
    text: ({ streak }) => streak,
    cell: ({ streak }) => formatNumber(streak),
  },
  {
    name: 'achievements',
    title: 'Achievements',
    isNumber: true,
    text: ({ achievements }) => achievements,
    cell: ({ achievements }) => formatNumber(achievements),
  },
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
