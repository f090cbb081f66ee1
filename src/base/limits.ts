/** Every bound of the service, with accessLimits.ts. The name ends with the unit. */
export const BODY_BYTES_MAX = 256 * 1024;
export const USER_ID_CHARS_MAX = 255;
/** Ids that a user may have had before; under each of them, an idempotency key may have been used. */
export const FORMER_IDS_MAX = 10;
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
/** Longest X-Request-Id that is taken over. */
export const REQUEST_ID_CHARS_MAX = 128;
/** Sums of such values stay exact integers in a double. */
export const EVENT_VALUE_MAX = 1e12;
/** Guards of a metric: longest cooldown, greatest number of events of a limit, and limits. */
export const GUARD_COOLDOWN_SECONDS_MAX = 604_800;
export const GUARD_EVENTS_MAX = 1_000_000;
export const GUARD_LIMITS_MAX = 4;
/** Workers advance a leaderboard within seconds. Later it counts as overdue. */
export const LEADERBOARD_OVERDUE_MS = 60_000;
export const LEADERBOARD_PARTICIPANTS_MAX = 1_000;
/** Best users beyond the last rank, who move up when ranks become free. */
export const LEADERBOARD_RESERVE = 100;
/** Shortest time between two searches for users who fill a leaderboard. */
export const REFILL_EVERY_MS = 600_000;
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
/** Years after a sign-up date for which an anniversary may be. */
export const ANNIVERSARY_YEARS_MAX = 200;
/** Days, months, years or hours. Instants computed from an interval stay within the range of dates. */
export const INTERVAL_MAX = 10_000;
export const MULTIPLIER_BELOW = 100;
/** Events of one script call, and their estimated cost in microseconds of Redis (src/rules/cost.ts). */
export const CALL_EVENTS_MAX = 200;
export const CALL_COST_US_MAX = 8_000;
/** Estimated cost of an event that waits in a lane of its own. */
export const DEAR_EVENT_US_MIN = CALL_COST_US_MAX / 20;
/** Zones whose calendars a call of many due users takes along before it is asked for one. */
export const CALL_ZONES_MAX = 64;
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
/** Users whom a worker evaluates at once after an activation. The script calls of events come between. */
export const ACTIVATED_AT_ONCE_MAX = 2;
/** Events of one batch, and the size of its body, which leaves room for a profile with each event. */
export const BATCH_EVENTS_MAX = 1_000;
export const BATCH_BODY_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Batches that a server processes at once: enough to keep Redis busy, few enough to leave room for single
 * events.
 */
export const BATCHES_AT_ONCE_MAX = 4;
/** Tenants whose rules a server keeps in memory. The least recently called ones are dropped first. */
export const TENANT_RULES_MAX = 2_000;
export const TENANT_ID_CHARS_MAX = 255;
/** Changes of one tenant's configuration or keys that wait in a server. More are refused with 503. */
export const TENANT_CHANGES_WAITING_MAX = 100;
/** Batches that wait. More are refused with 503 before anything is recorded. */
export const BATCHES_WAITING_MAX = 100;
/** Unanswered events that a server holds. More are refused with 503. */
export const PENDING_EVENTS_MAX = 20_000;
/**
 * Default and least value of LAUREL_STORE_WAIT_MS: longest wait of a server for a reply of Redis, and for a
 * connection to PostgreSQL. Callers learn of an outage within a second.
 */
export const STORE_WAIT_MS = 900;
/** Longest wait of workers and commands for a Redis reply. */
export const REDIS_SILENCE_BACKGROUND_MS_MAX = 10_000;
/** Longest wait for a connection to Redis or a Sentinel; then the Sentinels are asked again. */
export const REDIS_CONNECT_MS_MAX = 2_000;
/** Longest wait for the answer of a Sentinel; then the next one is asked. */
export const SENTINEL_ANSWER_MS_MAX = 1_000;
/** Longest wait of a call for a slot of a cluster that moves to another node. */
export const SLOT_MOVE_MS_MAX = 15_000;
/**
 * Longest wait for replicas to have a change. Shorter than STORE_WAIT_MS, because Redis sends nothing
 * meanwhile.
 */
export const REPLICAS_WAIT_MS_MAX = 500;
/** Default of LAUREL_HISTORY_WAIT_MS: longest wait of a read of history for the relay. */
export const HISTORY_WAIT_MS_MAX = 2_000;
/** Longest wait of workers and commands for a connection to PostgreSQL. */
export const POSTGRES_CONNECT_BACKGROUND_MS_MAX = 5_000;
/**
 * Longest wait of a migration for a table. Statements of running processes that need the table wait as long.
 */
export const MIGRATION_LOCK_MS_MAX = 500;
/**
 * Connections to PostgreSQL that one process opens at most, by default. Five servers and five workers leave
 * room for starts and for an operator under the 100 connections that PostgreSQL accepts by default.
 */
export const POSTGRES_CONNECTIONS_SERVER = 10;
export const POSTGRES_CONNECTIONS_WORKER = 7;
/** Least number of connections that cannot deadlock. */
export const POSTGRES_CONNECTIONS_MIN = 4;
/** Timeout of a statement of the Admin API. */
export const ADMIN_STATEMENT_MS_MAX = 3_000;
/** Timeout of a statement of a worker. The work is tried again. */
export const WORKER_STATEMENT_MS_MAX = 60_000;
/** Longest wait of a stopping process for its connections to a store that hangs. */
export const STORE_CLOSE_MS_MAX = 2_000;
/** Longest time between a signal to stop and the end of the process. */
export const STOP_MS_MAX = 20_000;
/** Longest wait of `/metrics` for a number. After that the number is missing. */
export const METRIC_READ_MS_MAX = 900;
/** Longest wait of `/readyz`, and of the metrics about stores, for an answer of a store. */
export const STORE_PROBE_MS_MAX = 700;
/** Time over which `/metrics` estimates how fast Redis fills. */
export const REDIS_GROWTH_MS = 5 * 60_000;
/** Default of LAUREL_SLOW_REQUEST_MS. */
export const SLOW_REQUEST_MS = 1_000;
/** Timeout of a statement that reads the history. */
export const HISTORY_QUERY_MS_MAX = 10_000;
/** Longest wait for the relay of work that reads the history. The work is tried again later. */
export const RELAY_WAIT_MS_MAX = 30_000;
/** Longest wait for the relay when the test clock is moved. */
export const TEST_CLOCK_WAIT_MS_MAX = 30_000;
/** Longest wait of a moved test clock until due deliveries have been attempted. */
export const DELIVERIES_WAIT_MS_MAX = 5_000;
export const AWARDS_PER_READ_MAX = 100;
/** Users on one page of the list of users, and users that one call examines. */
export const USERS_PER_READ_MAX = 100;
export const USERS_EXAMINED_MAX = 1_000;
/** Points that one adjustment gives or takes. */
export const POINTS_ADJUSTMENT_MAX = 1_000_000_000;
/** Days that one call of analytics covers, and weeks of retention. */
export const ANALYTICS_DAYS_MAX = 400;
export const ANALYTICS_WEEKS_MAX = 26;
/** Groups that retention is split into. */
export const ANALYTICS_GROUPS_MAX = 20;
/** Users whose activity before and after an achievement is compared. */
export const ANALYTICS_USERS_MAX = 1_000;
/** Items on one page of a user's timeline. */
export const TIMELINE_ITEMS_PER_READ_MAX = 100;
export const LEADERBOARD_EVENTS_PER_READ_MAX = 100;
/** Metrics of a user's own streak. */
export const STREAK_METRICS_MAX = 100;
/** Ids of users in one query. */
export const USERS_IN_QUERY_MAX = 100;
/** Users whose streak one ranking checks. A checked user is settled, so a later ranking skips the user. */
export const STREAK_CANDIDATES_MAX = 1_000;
export const STREAK_HISTORY_PERIODS_MAX = 400;
export const DATE_RANGE_DAYS_MAX = 400;
/** Approximate number of users that a year in review is compared with. */
export const WRAPPED_PEERS_MAX = 1_000;
/** Values of event attributes in a year in review. */
export const WRAPPED_ATTRIBUTE_VALUES_MAX = 200;
/** Most months for which a retention can be set. */
export const KEPT_MONTHS_MAX = 1_200;
/** Seconds' worth of requests that a rate-limited key may send at once. */
export const RATE_LIMIT_BURST_SECONDS = 5;
/** Addresses and keys whose rates a server remembers. */
export const RATE_LIMITED_NAMES_MAX = 50_000;
/** Shortest time between two reads of both stores for `/metrics`. */
export const METRICS_COLLECT_INTERVAL_MS = 1_000;
/** Size of a submitted page of preferences. */
export const FORM_BYTES_MAX = 8 * 1024;
export const RETRY_AFTER_SECONDS = 1;
/** Time between two checks whether a watched leaderboard has changed. */
export const LIVE_READ_INTERVAL_MS = 250;
/** Different watched pages of a server. Each has any number of subscribers. */
export const LIVE_READS_MAX = 1_000;
/** Time after which the names of a watched ranking and the zone of a user who watches are read again. */
export const LIVE_REFRESH_MS = 30_000;
/** Open live streams of one application key and of one tenant on a server. */
export const LIVE_STREAMS_OF_KEY_MAX = 20;
export const LIVE_STREAMS_OF_TENANT_MAX = 5_000;
/**
 * Time between two heartbeats on an event stream. uWebSockets.js closes silent connections after 10 s,
 * proxies after 30 to 60 s.
 */
export const LIVE_HEARTBEAT_INTERVAL_MS = 5_000;
/** Unsent bytes after which a subscriber counts as stuck. The largest page is far smaller. */
export const LIVE_BACKPRESSURE_BYTES_MAX = 16 * 1024 * 1024;
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
/** Notifications that one statement finishes. */
export const NOTIFICATIONS_PER_STATEMENT_MAX = 100;
/** Timeout of one attempt to deliver a webhook, including redirects. */
export const WEBHOOK_ATTEMPT_MS_MAX = 10_000;
export const WEBHOOK_REDIRECTS_MAX = 3;
/** Part of a response that the log keeps. */
export const WEBHOOK_RESPONSE_BYTES_MAX = 4_096;
export const WEBHOOK_ATTEMPTS_MAX = 8;
/**
 * Wait after the first attempt. Each further wait is four times as long, so the last attempt is a day after
 * the first.
 */
export const WEBHOOK_RETRY_FIRST_MS = 15_000;
export const WEBHOOK_RETRY_FACTOR = 4;
export const WEBHOOK_RETRY_MS_MAX = 24 * 3_600_000;
/** Time without a success after which a failing webhook is disabled. */
export const WEBHOOK_FAILING_MS_MAX = 3 * 24 * 3_600_000;
/** Time for which a replaced secret stays valid. */
export const WEBHOOK_OLD_SECRET_MS = 24 * 3_600_000;
/**
 * Deliveries to one webhook that are made at once, and to one that has not answered yet or whose last
 * delivery failed.
 */
export const WEBHOOK_AT_ONCE = 16;
export const WEBHOOK_UNPROVEN_AT_ONCE = 1;
/** Users of a cell whom a server reads in one call. */
export const USER_READS_TOGETHER_MAX = 500;
/** Deliveries whose reads and writes a worker makes together. */
export const DELIVERIES_TOGETHER_MAX = 100;
/** Time slice of a webhook or shard. Those with a long backlog alternate. */
export const DELIVERY_SLICE_MS = 2_000;
/** Time after which another worker takes over the webhook of a worker that was killed. */
export const WEBHOOK_LOCK_MS = 10_000;
/** Entries of a ranking in a webhook. */
export const WEBHOOK_PLACES_MAX = 100;
/** The same of a run that is final. */
export const WEBHOOK_FINAL_PLACES_MAX = 10;
export const WEBHOOK_DELIVERIES_PER_READ_MAX = 100;
/** Failed deliveries that one call sends again. */
export const WEBHOOK_REDELIVERIES_MAX = 10_000;
/** Time between two webhooks about something that changes continuously. */
export const WEBHOOK_THROTTLE_MS = 15 * 60_000;
/** Subjects of such webhooks for which a relay remembers the pending delivery. */
export const COVERED_SUBJECTS_MAX = 400_000;
/**
 * Steps (tags, outputs and texts, in every pass of a loop) and memory of rendering one part of a template, as
 * Liquid counts them.
 */
export const TEMPLATE_STEPS_MAX = 5_000;
/**
 * Characters of one tag or output: bounds the operands and filters of a step. Together with the steps, a
 * rendering takes under 0.5 s.
 */
export const TEMPLATE_TAG_CHARS_MAX = 200;
export const TEMPLATE_CHARS_MAX = 50_000;
export const TEMPLATE_MEMORY_MAX = 1_000_000;
/** Awards in a webhook; `added` counts all. */
export const WEBHOOK_AWARDS_MAX = 100;
/** Days for which the log of deliveries is kept, by channel. */
export const WEBHOOK_DELIVERIES_DAYS = 7;
export const NOTIFICATION_DELIVERIES_DAYS = 30;
/** Default number of deliveries that one worker makes at once. */
export const WEBHOOKS_AT_ONCE = 100;
export const EMAILS_AT_ONCE = 5;
export const PUSHES_AT_ONCE = 20;
/** How long the link works that `npm start` prints. */
export const CONSOLE_LINK_SECONDS = 600;
/** Sessions of the console that one key has made; the oldest gives way. */
export const CONSOLE_SESSIONS_MAX = 100;
/** Accuracy of the last use of an admin key or a session. */
export const KEY_USE_SECONDS = 60;

/** Users of each tenant that `laurel check` compares, unless it compares all. */
export const CHECK_USERS = 1_000;
export const CHECK_USERS_PER_BATCH = 500;
/** Rankings of each tenant whose members it compares, and members of each, unless it compares all. */
export const CHECK_RANKINGS = 50;
export const CHECK_MEMBERS = 100;
/** How often it looks at something that differs and changes meanwhile. */
export const CHECK_LOOKS_MAX = 10;
/** Longest wait of a look for the relay. */
export const CHECK_WAIT_MS_MAX = 60_000;
/** Differences that it names; it counts all. */
export const CHECK_NAMED_MAX = 1_000;

/** Entities of a tenant, by kind. A change that would exceed them is refused. */
export const ENTITIES_MAX = {
  attributes: 200,
  metrics: 500,
  counters: 5_000,
  achievements: 1_000,
  pointsSystems: 50,
  pointsLevels: 2_000,
  pointsTriggers: 1_000,
  pointsBoosts: 1_000,
  leaderboards: 1_000,
  webhooks: 100,
  notificationTemplates: 500,
} as const;
/** Leaderboards of a tenant that are scheduled or active. Each of them can be part of every event. */
export const LIVE_LEADERBOARDS_MAX = 200;

if (3 * CALLS_COST_US_MAX > 1_000 * STORE_WAIT_MS) {
  throw new Error('CALLS_COST_US_MAX must leave Redis three times the estimated time within STORE_WAIT_MS');
}
if (CALL_EVENTS_MAX > PENDING_EVENTS_MAX)
  throw new Error('CALL_EVENTS_MAX must not exceed PENDING_EVENTS_MAX');
