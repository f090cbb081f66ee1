import { plural } from './translate.ts';

/** How often something happens, by the unit of time. */
const EVERY: Record<string, (n: number) => string> = {
  hour: (n) => plural(n, 'every hour', 'every {n} hours'),
  day: (n) => plural(n, 'every day', 'every {n} days'),
  week: (n) => plural(n, 'every week', 'every {n} weeks'),
  month: (n) => plural(n, 'every month', 'every {n} months'),
  year: (n) => plural(n, 'every year', 'every {n} years'),
};

/** "every week", "every 2 weeks" @param unit one of the API: `hour` or `hours` */
export const everyText = (n: number, unit: string): string => EVERY[unit.replace(/s$/, '')]?.(n) ?? unit;
