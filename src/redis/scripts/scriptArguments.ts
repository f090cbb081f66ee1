/**
 * Arguments of recordEvents, changeUser and settleUsers. Buffers are msgpack; the headers of the scripts
 * describe them.
 */
export interface ScriptCall {
  tenant: number;
  /** The cell of all users of the call. */
  cell: number;
  version: number;
  /** Milliseconds since 1970. */
  now: number;
  changes: Buffer;
  calendars: Buffer;
  rules: Buffer;
}

export interface RecordEventsCall extends ScriptCall {
  details: Buffer;
  /** What PostgreSQL says of idempotency keys. */
  keyUses: Buffer;
  /** Scores below which changes of rankings are not reported. */
  rankFloors?: Buffer;
  /** Which events belong together; absent if none do. */
  metricsEvents?: Buffer;
}

/** Arguments of recordLateEvent; `calendars` are those of now. */
export interface RecordLateEventCall extends RecordEventsCall {
  late: Buffer;
  calendarsThen: Buffer;
}

export interface SettleUsersCall extends ScriptCall {
  /** Instants at which users are settled, all users together. */
  stepsMax: number;
  horizons: Buffer;
}

export interface ImportEventsCall extends ScriptCall {
  details: Buffer;
  instants: Buffer;
  pastKeys: Buffer;
  users: Buffer;
  importNo: number;
  stepsMax: number;
  pastIndex: Buffer;
  pastCalendars: Buffer;
  /** In the cell when the rows were read. */
  erasures: string;
  /** Which events belong together; absent if none do. */
  metricsEvents?: Buffer;
}

export interface MoveUsersCall extends ScriptCall {
  /** The run into which users of a league move. */
  run: Buffer;
}
