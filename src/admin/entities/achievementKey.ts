import { NAME_CHARS_MAX } from '../../base/limits.ts';
import type { Achievement, Config } from '../../rules/config.ts';

/** Room for the number that makes a key unique. */
const NUMBER_CHARS = 6;

/**
 * A free key made from the name: `ten-lessons`, `ten-lessons-2`. Achievements of all triggers have a key,
 * because configuration files name them by it, but clients give one only for the trigger `api`.
 */
export function keyFromName(
  name: string,
  { achievements }: Pick<Config, 'achievements'>,
): Achievement['key'] {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .match(/[a-zA-Z\d]+/g) ?? ['achievement'];
  const key = words
    .join('-')
    .toLowerCase()
    .slice(0, NAME_CHARS_MAX - NUMBER_CHARS);
  const taken = new Set(achievements.map((achievement) => achievement.key));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? key : `${key}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
