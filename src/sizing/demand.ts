const EVENTS_PER_SECOND_MAX = 10_000_000;
const USERS_MAX = 10_000_000_000;
const KEY_DAYS_MAX = 36_500;

/** The load that an installation has to bear. */
export interface Demand {
  /** At the peak. */
  eventsPerSecond: number;
  users: number;
  eventsPerDay?: number | undefined;
  /** Share of the events that have an idempotency key, 0 to 1. */
  keysPerEvent: number;
  /** How long Redis keeps idempotency keys. */
  keyDays: number;
}

/** Options of the command line. */
export interface SizingOptions {
  eventsPerSecond: string;
  users: string;
  eventsPerDay?: string;
  keysPerEvent: string;
  keyDays: string;
}

/** @throws Error that names the option with an invalid value */
export function readDemand(options: SizingOptions): Demand {
  const { eventsPerSecond, users, eventsPerDay, keysPerEvent, keyDays } = options;
  return {
    eventsPerSecond: amount('--events-per-second', eventsPerSecond, EVENTS_PER_SECOND_MAX),
    users: amount('--users', users, USERS_MAX),
    keysPerEvent: amount('--keys-per-event', keysPerEvent, 1),
    keyDays: amount('--key-days', keyDays, KEY_DAYS_MAX),
    ...(eventsPerDay !== undefined && {
      eventsPerDay: amount('--events-per-day', eventsPerDay, EVENTS_PER_SECOND_MAX * 86_400),
    }),
  };
}

function amount(name: string, text: string, max: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= max)) {
    throw new Error(`${name} must be a number from 0 to ${max}, not "${text}"`);
  }
  return value;
}
