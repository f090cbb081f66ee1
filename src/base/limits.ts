/** Every bound of the service, with accessLimits.ts. The name ends with the unit. */
export const BODY_BYTES_MAX = 256 * 1024;
export const USER_ID_CHARS_MAX = 255;
/** New ids that a process gives users at once, and that wait for it. */
export const RENAMES_AT_ONCE_MAX = 2;
export const RENAMES_WAITING_MAX = 100;
export const TEXT_CHARS_MAX = 1_000;
/** A date-time with offset and fractions of a second. */
export const INSTANT_CHARS_MAX = 40;
export const ATTRIBUTE_VALUE_CHARS_MAX = 255;
/** Length of configured names and keys. */
export const NAME_CHARS_MAX = 255;
export const DEVICE_TOKENS_MAX = 50;
export const ATTRIBUTES_PER_CALL_MAX = 100;
export const IDEMPOTENCY_KEY_CHARS_MAX = 1_000;
/** Sums of such values stay exact integers in a double. */
export const EVENT_VALUE_MAX = 1e12;
/** Guards of a metric: longest cooldown, greatest number of events of a limit, and limits. */
export const GUARD_COOLDOWN_SECONDS_MAX = 604_800;
export const GUARD_EVENTS_MAX = 1_000_000;
export const GUARD_LIMITS_MAX = 4;
/** Workers advance a leaderboard within seconds. Later it counts as overdue. */
export const LEADERBOARD_OVERDUE_MS = 60_000;
export const LEADERBOARD_PARTICIPANTS_MAX = 1_000;
/** Days after the first event of a user that may count as early. */
export const ACTIVATION_DAYS_MIN = 3;
export const ACTIVATION_DAYS_MAX = 30;
export const FREEZES_MAX = 100;
/** Freezes that a user earns at once, and days between. */
export const FREEZES_EARNED_MAX = 10;
export const FREEZE_INTERVAL_DAYS_MAX = 365;
/** At least one weekday of a daily streak counts. */
export const DAYS_OFF_MAX = 6;
/** Of the streak settings; users may choose any threshold. */
export const STREAK_THRESHOLD_MAX = 10_000;
/** Days, months, years or hours. Instants computed from an interval stay within the range of dates. */
export const INTERVAL_MAX = 10_000;
export const MULTIPLIER_BELOW = 100;
/** Events of one script call, and their estimated cost in microseconds of Redis (src/rules/cost.ts). */
export const CALL_EVENTS_MAX = 200;
export const CALL_COST_US_MAX = 8_000;
/** Estimated cost of an event that waits in a lane of its own. */
export const EXPENSIVE_EVENT_US_MIN = CALL_COST_US_MAX / 20;
/**
 * Cost of the calls of one tenant that a server has under way: while Redis works on one, the next waits
 * there. Calls of other tenants wait at most so long for them. Two lanes of a tenant have half each.
 */
export const TENANT_CALLS_COST_US_MAX = 2 * CALL_COST_US_MAX;
/**
 * The same for all tenants. Redis answers the calls well within STORE_WAIT_MS, so a busy Redis is not
 * mistaken for a hanging one.
 */
export const CALLS_COST_US_MAX = 100_000;
/** Items that one call of the Admin API changes. */
export const BATCH_ITEMS_MAX = 100;
/** Events of one batch, and the size of its body, which leaves room for a profile with each event. */
export const BATCH_EVENTS_MAX = 1_000;
export const BATCH_BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Tenants whose rules a server keeps in memory. The least recently called ones are dropped first. */
export const TENANT_RULES_MAX = 2_000;
export const TENANT_ID_CHARS_MAX = 255;
/** Unanswered events that a server holds. More are refused with 503. */
export const PENDING_EVENTS_MAX = 20_000;
/**
 * Default and least value of LAUREL_STORE_WAIT_MS: longest wait of a server for a reply of Redis, and for a
 * connection to PostgreSQL. Callers learn of an outage within a second.
 */
export const STORE_WAIT_MS = 900;
/** Longest wait of a call for a slot of a cluster that moves to another node. */
export const SLOT_MOVE_MS_MAX = 15_000;
/** Default of LAUREL_HISTORY_WAIT_MS: longest wait of a read of history for the relay. */
export const HISTORY_WAIT_MS_MAX = 2_000;
/**
 * Connections to PostgreSQL that one process opens at most, by default. Five servers and five workers leave
 * room for starts and for an operator under the 100 connections that PostgreSQL accepts by default.
 */
export const POSTGRES_CONNECTIONS_SERVER = 10;
export const POSTGRES_CONNECTIONS_WORKER = 7;
/** Longest wait of a stopping process for its connections to a store that hangs. */
export const STORE_CLOSE_MS_MAX = 2_000;
/** Longest time between a signal to stop and the end of the process. */
export const STOP_MS_MAX = 20_000;
/** Longest wait for the relay of work that reads the history. The work is tried again later. */
export const RELAY_WAIT_MS_MAX = 30_000;
/** Longest wait of a moved test clock until due deliveries have been attempted. */
export const DELIVERIES_WAIT_MS_MAX = 5_000;
export const AWARDS_PER_READ_MAX = 100;
/**
 * Awards of a points system, and days of a leaderboard, that Redis keeps of users who are read, and periods
 * of a streak that it keeps of all users: as many as clients get by default.
 */
export const KEPT_ROWS_MAX = 10;
export const KEPT_PERIODS_MAX = 7;
/** Days before today that a kept daily summary of a metric covers: a month, in any time zone. */
export const KEPT_DAYS = 32;
/** Users on one page of the list of users, and users that one call examines. */
export const USERS_PER_READ_MAX = 100;
export const USERS_EXAMINED_MAX = 1_000;
/** Days that one call of analytics covers, and weeks of retention. */
export const ANALYTICS_DAYS_MAX = 400;
export const ANALYTICS_WEEKS_MAX = 26;
/** Items on one page of a user's timeline. */
export const TIMELINE_ITEMS_PER_READ_MAX = 100;
export const LEADERBOARD_EVENTS_PER_READ_MAX = 100;
/** Ids of users in one query. */
export const USERS_IN_QUERY_MAX = 100;
/** Users whose streak one ranking checks. A checked user is settled, so a later ranking skips the user. */
export const STREAK_CANDIDATES_MAX = 1_000;
export const STREAK_HISTORY_PERIODS_MAX = 400;
export const DATE_RANGE_DAYS_MAX = 400;
/** Size of a submitted page of preferences. */
export const FORM_BYTES_MAX = 8 * 1024;
export const RETRY_AFTER_SECONDS = 1;
/** Time between two checks whether a watched leaderboard has changed. */
export const LIVE_READ_INTERVAL_MS = 250;
/** Different watched pages of a server. Each has any number of subscribers. */
export const LIVE_READS_MAX = 1_000;
/** Time after which the names of a watched ranking and the zone of a user who watches are read again. */
export const LIVE_REFRESH_MS = 30_000;
/** Jobs of webhooks that one run of the schedule creates. */
export const DELIVERY_JOBS_MAX = 10_000;
/** Shards of a channel that one worker sends at once: while one reads or records, the other sends. */
export const SHARDS_AT_ONCE = 2;
/** Due notifications of a shard that one statement reads. */
export const SHARD_PAGE_MAX = 500;
/**
 * Notifications of a shard that a worker reads together, for each one that it sends at once. The more, the
 * fewer statements; but a notification shows the state of its user as of its reading.
 */
export const PREPARED_OF_SHARD = 4;
/** Part of a response that the log keeps. */
export const WEBHOOK_RESPONSE_BYTES_MAX = 4_096;
export const WEBHOOK_ATTEMPTS_MAX = 8;
/** Time for which a replaced secret stays valid. */
export const WEBHOOK_OLD_SECRET_MS = 24 * 3_600_000;
/** Deliveries whose reads and writes a worker makes together. */
export const DELIVERIES_TOGETHER_MAX = 100;
/** Time slice of a webhook or shard. Those with a long backlog alternate. */
export const DELIVERY_SLICE_MS = 2_000;
/** The same of a run that is final. */
export const WEBHOOK_FINAL_PLACES_MAX = 10;
export const WEBHOOK_DELIVERIES_PER_READ_MAX = 100;
/** Failed deliveries that one call sends again. */
export const WEBHOOK_REDELIVERIES_MAX = 10_000;
/** Time between two webhooks about something that changes continuously. */
export const WEBHOOK_THROTTLE_MS = 15 * 60_000;
/**
 * Characters of one tag or output: bounds the operands and filters of a step. Together with the steps, a
 * rendering takes under 0.5 s.
 */
export const TEMPLATE_TAG_CHARS_MAX = 200;
export const TEMPLATE_CHARS_MAX = 50_000;
export const TEMPLATE_MEMORY_MAX = 1_000_000;
/** How long the link works that `npm start` prints. */
export const CONSOLE_LINK_SECONDS = 600;

/** Rankings of each tenant whose members it compares, and members of each, unless it compares all. */
export const CHECK_RANKINGS = 50;
export const CHECK_MEMBERS = 100;
/** How often it looks at something that differs and changes meanwhile. */
export const CHECK_LOOKS_MAX = 10;
/** Longest wait of a look for the relay. */
export const CHECK_WAIT_MS_MAX = 60_000;

if (3 * CALLS_COST_US_MAX > 1_000 * STORE_WAIT_MS) {
  throw new Error('CALLS_COST_US_MAX must leave Redis three times the estimated time within STORE_WAIT_MS');
}
if (CALL_EVENTS_MAX > PENDING_EVENTS_MAX)
  throw new Error('CALL_EVENTS_MAX must not exceed PENDING_EVENTS_MAX');
