import type { ConfigFile, FileStreak } from '../../contract/configured/configFile.ts';
import { KINDS_IN_FILE, LISTED_KINDS } from '../../contract/configured/configLists.ts';
import { type DeclaredKind, KINDS, PART_KINDS } from '../../contract/kinds/allKinds.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Config, Entity, PointsSystem, StreakSettings } from '../../rules/config.ts';
import { hooksOf } from '../entities/allHooks.ts';
import { toFile } from '../kinds/itemsOfFile.ts';
import { KeysById } from '../kinds/keysAndIds.ts';

/**
 * Writes a configuration as a file at `now`: ids become keys, empty fields are left out. Applying the file to
 * the same configuration changes nothing. The inverse of fileEdit.ts.
 */
export function exportConfig(config: Config, now: number): ConfigFile {
  const write = itemWriter(config, now);
  const attributesOf = (type: 'user' | 'event') =>
    config.attributes
      .filter((attribute) => attribute.type === type)
      .map((attribute) => write('attributes', attribute));
  const partsOf = ({ id }: PointsSystem) =>
    PART_KINDS.map((kind) => {
      const parts: (Entity & { systemId: string })[] = config[kind];
      const own = parts.filter(({ systemId }) => systemId === id);
      return [KINDS[kind].list, own.map((part) => write(kind, part))];
    });
  const points = config.pointsSystems.map((system) => ({
    ...write('pointsSystems', system),
    ...Object.fromEntries(partsOf(system)),
  }));
  const { metrics, ...lists } = Object.fromEntries(
    LISTED_KINDS.map((kind) => {
      const entities: Entity[] = config[kind];
      return [KINDS[kind].list, entities.map((entity) => write(kind, entity))];
    }),
  );
  const { appUrl, logo, appIcon, address, ...branding } = config.settings.branding;
  return {
    attributes: { user: attributesOf('user'), event: attributesOf('event') },
    metrics,
    streak: streakItem(config.streak),
    ...lists,
    points,
    settings: {
      ...config.settings,
      branding: { ...branding, ...declared({ appUrl: appUrl || null, logo, appIcon, address }) },
    },
  } as ConfigFile;
}

/** Writes entities as a file shows them; points systems without their parts, webhooks without secrets. */
export function itemWriter(config: Config, now: number) {
  const keys = new KeysById(config);
  const { day: today } = localTime(config.settings.defaultTimeZone, now);
  return (kind: DeclaredKind, entity: Entity): object => {
    const item = toFile(KINDS_IN_FILE[kind], entity, keys);
    return hooksOf(kind).toFile?.(item as never, entity as never, today) ?? item;
  };
}

type Declared<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Leaves out the fields that are null, which means the same in a file. */
function declared<T extends object>(fields: T): Partial<Declared<T>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<
    Declared<T>
  >;
}

export function streakItem({ freezes, ...streak }: StreakSettings): FileStreak {
  return { ...streak, ...declared({ freezes }) };
}
