import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import type { TimeInForce } from '../../rules/scriptRules.ts';
import { Replication } from '../connection/replication.ts';
import { readRecords, toRecord } from '../state/recordLayout.ts';
import { keys } from '../state/redisKeys.ts';
import { RECEIPTS_PER_CELL, type Receipt } from '../state/redisReceipts.ts';
import type { ColdKeys, NumberedKeys } from '../usedKeys/keyLedger.ts';
import { pack } from './codec.ts';
import { LEDGER_EDIT, RETIRED_KEYS } from './keyLayout.ts';
import { FORMAT_CONSUMER, KNOWN_FORMAT_CONSUMERS } from './outbox.ts';
import type {
  ImportEventsCall,
  MoveUsersCall,
  RecordEventsCall,
  RecordLateEventCall,
  ScriptCall,
  SettleUsersCall,
} from './scriptArguments.ts';
import { TICKET } from './scriptConstants.ts';
import { ERASED_USER, RANKED } from './scriptLayout.ts';

export interface RankingPage {
  /** Place and rank of the first entry. */
  first: { place: number; rank: number };
  entries: { userId: string; userName: string | null; score: number }[];
}

/** Ids of the first and the last entry of an outbox that is not empty. */
export interface OutboxRange {
  first: string;
  last: string;
}

type Command = (...args: (string | number | Buffer)[]) => Promise<unknown>;

/** One typed function for each script. Scripts are called only from here, and from renameScripts.ts. */
export class Scripts {
  readonly #commands: Record<string, Command>;
  readonly #cells: Cells;
  readonly #replication: Replication;

  /** @param waitReplicas replicas that must have a change of users before it is answered */
  constructor(redis: Redis, cells: Cells, waitReplicas = 0) {
    this.#commands = redis as unknown as Record<string, Command>;
    this.#cells = cells;
    this.#replication = new Replication(redis, waitReplicas);
  }

  /** @returns the outcomes; null if the rules are stale */
  async recordEvents(call: RecordEventsCall): Promise<Buffer | null> {
    return (await this.#change(
      'recordEventsBuffer',
      call,
      call.changes,
      call.details,
      call.keyUses,
      call.rankFloors ?? '',
    )) as Buffer | null;
  }

  /**
   * @returns the outcomes, followed by both parts of the user's state if the history is needed and the user
   * is not new; null if the rules are stale
   */
  async recordLateEvent(
    call: RecordLateEventCall,
  ): Promise<[outcomes: Buffer, hot?: Buffer, cold?: Buffer] | null> {
    return (await this.#change(
      'recordLateEventBuffer',
      call,
      call.changes,
      call.details,
      call.keyUses,
      call.late,
      call.calendarsThen,
    )) as [Buffer, Buffer?, Buffer?] | null;
  }

  /**
   * @returns the outcome and both parts of the user's state (missing for an unknown user); null if the rules
   * are stale
   */
  async changeUser(call: ScriptCall): Promise<[outcome: Buffer, hot?: Buffer, cold?: Buffer] | null> {
    return (await this.#change('changeUserBuffer', call, call.changes)) as [Buffer, Buffer?, Buffer?] | null;
  }

  /**
   * @param addingImport number of the import if it adds to what users have, else 0
   * @param erasures in the cell when the rows were read
   * @returns the outcomes; null if the rules are stale
   */
  async importUsers(call: ScriptCall, addingImport: number, erasures: string): Promise<Buffer | null> {
    const own = [call.changes, addingImport, erasures];
    return (await this.#change('importUsersBuffer', call, ...own)) as Buffer | null;
  }

  /** @returns how far each user is (msgpack); null if the rules are stale */
  async importEvents(call: ImportEventsCall): Promise<Buffer | null> {
    const {
      changes,
      details,
      instants,
      pastKeys,
      users,
      importNo,
      stepsMax,
      pastIndex,
      pastCalendars,
      erasures,
    } = call;
    const events = [changes, details, instants, pastKeys];
    const own = [...events, users, importNo, stepsMax, pastIndex, pastCalendars, erasures];
    return (await this.#change('importEventsBuffer', call, ...own)) as Buffer | null;
  }

  /**
   * @returns for each user, when to settle the user next or which time zone is missing (msgpack); null if the
   * rules are stale
   */
  async settleUsers(call: SettleUsersCall): Promise<Buffer | null> {
    const own = [call.changes, call.stepsMax, call.horizons];
    return (await this.#change('settleUsersBuffer', call, ...own)) as Buffer | null;
  }

  /** @returns the number of users who were moved; null if the rules are stale */
  async moveUsers(call: MoveUsersCall): Promise<number | null> {
    return (await this.#change('moveUsers', call, call.changes, call.run)) as number | null;
  }

  /** @returns null if the ranking does not exist */
  async readLeaderboard(
    tenant: number,
    cell: number,
    ranking: string,
    page: {
      offset: number;
      limit: number;
      member: string;
      board: Pick<Leaderboard, 'maxParticipants' | 'ties'>;
    },
  ): Promise<RankingPage | null> {
    const reply = await this.#commands.readLeaderboard!(
      ranking,
      keys.tenantPrefix(tenant, cell),
      page.offset,
      page.limit,
      page.member,
      page.board.maxParticipants,
      page.board.ties === 'shared' ? page.board.ties : '',
    );
    if (reply === null) return null;
    const [place, rank, flat] = reply as [number, number, string[]];
    const entries = readRecords(RANKED, flat).map(({ userId, name, score }) => ({
      userId: userId as string,
      userName: (name as string) || null,
      score: Number(score),
    }));
    return { first: { place, rank }, entries };
  }

  /**
   * @param mark of the last reply
   * @returns the best scores of a ranking (lua/readScores.lua); null if they have not changed since the mark
   */
  async readScores(
    ranking: string,
    arrivals: string,
    mark: string,
    count: number,
  ): Promise<{ mark: string; scores: Buffer } | null> {
    const reply = await this.#commands.readScoresBuffer!(ranking, arrivals, mark, count);
    if (reply === null) return null;
    const [newMark, scores] = reply as [Buffer, Buffer];
    return { mark: String(newMark), scores };
  }

  /**
   * @param asksRelays whether all relays are asked to end their pauses, for entries of any outbox
   * @returns null if the outbox is empty
   */
  async readOutbox(cell: number, asksRelays: boolean): Promise<OutboxRange | null> {
    const channel = asksRelays ? keys.awaited : '';
    const [first, last] = (await this.#commands.readOutbox!(keys.outbox(cell), channel)) as string[];
    return first === undefined || last === undefined ? null : { first, last };
  }

  /**
   * Removes entries from an outbox, except those that no longer belong to the consumer, and records the
   * receipt of their transaction.
   * @returns the number of entries removed; without any the receipt is not recorded
   */
  async acknowledge(
    cell: number,
    group: string,
    consumer: string,
    ids: readonly string[],
    receipt: Receipt | null = null,
  ): Promise<number> {
    const { no, token } = receipt ?? { no: 0, token: '' };
    const args = [group, consumer, pack(ids), no, token, RECEIPTS_PER_CELL];
    return Number(await this.#commands.acknowledge!(keys.outbox(cell), keys.receipts(cell), ...args));
  }

  /** @returns the number of entries that the consumer has taken over; `readAgain` reads them */
  async takeOverEntries(
    cell: number,
    { group, consumer, idleMs, count }: { group: string; consumer: string; idleMs: number; count: number },
  ): Promise<number> {
    const formats = pack(KNOWN_FORMAT_CONSUMERS);
    const args = [group, consumer, idleMs, count, FORMAT_CONSUMER, formats];
    return Number(await this.#commands.takeOverEntries!(keys.outbox(cell), ...args));
  }

  /** @returns the reply of lua/readUserStates.lua (msgpack) */
  async readUserStates(cell: number, users: Buffer): Promise<Buffer> {
    const outbox = keys.outbox(cell);
    return (await this.#commands.readUserStatesBuffer!(outbox, keys.cellPrefix(cell), users)) as Buffer;
  }

  /**
   * Resolves when the replicas that must have a change have all changes of a cell until now.
   * @throws ServiceError `unavailable` if that takes too long
   */
  confirm(cell: number): Promise<void> {
    return this.#replication.confirm(cell);
  }

  /**
   * @param user `sequence` is 0 for an unknown user
   * @param rankings keys of the rankings that the user may be in
   * @returns the rankings that the user was in; null if the user has another sequence number: then nothing
   * was changed
   */
  async eraseUser(
    tenant: number,
    user: { userId: string; sequence: number },
    rankings: readonly string[],
    stays: readonly boolean[],
  ): Promise<string[] | null> {
    const packed = pack(toRecord(ERASED_USER, user));
    const cell = cellOf(tenant, user.userId, this.#cells);
    const prefix = keys.tenantPrefix(tenant, cell);
    const asked = [packed, pack(rankings), pack(stays)];
    const left = await this.#commands.eraseUser!(keys.due(cell), prefix, tenant, ...asked);
    return left === null ? null : (left as number[]).map((i) => rankings[i - 1]!);
  }

  /**
   * Edits the ledger of a tenant's used idempotency keys in one of its cells.
   * @param edit `slices`: ids of slices that are not searched any more; `retire`: keys of filters that are
   * not searched any more; `forget`: prefixes of retired keys that are gone or in use again;
   * `fingerprints`: those to remove from all slices; `cold`: the new filter, before which instant it counts,
   * and what it replaces
   * @returns the reserved number of a filter; 0 without `reserve`; null if another worker has replaced the
   * filter since: then nothing was changed
   */
  async editKeyLedger(
    tenant: number,
    cell: number,
    edit: {
      reserve?: boolean;
      slices?: readonly number[];
      retire?: readonly NumberedKeys[];
      forget?: readonly string[];
      fingerprints?: readonly string[];
      cold?: ColdKeys & { replacedBefore: number; replacedFilter: number };
    },
  ): Promise<number | null> {
    const { reserve = false, slices = [], retire = [], forget = [], fingerprints = [], cold } = edit;
    const replaced = { replacedBefore: 0, replacedFilter: 0 };
    const none = { coldBefore: false, filter: 0, filterLines: 0, filterTimed: false, ...replaced };
    const retired = retire.flatMap((some) => toRecord(RETIRED_KEYS, some));
    const lists = { slices, retire: retired, forget, fingerprints };
    const packed = pack(toRecord(LEDGER_EDIT, { reserve, ...lists, ...(cold ?? none) }));
    return (await this.#commands.editKeyLedger!(keys.tenantPrefix(tenant, cell), packed)) as number | null;
  }

  /**
   * Puts rules in force in one cell of the tenant.
   * @param since seconds since 1970: new rules of time count from then on
   * @returns null if a newer version is in force
   */
  async publishRules(rules: Rules, cell: number, since: number): Promise<TimeInForce | null> {
    const { tenant, version, config, settlingRulesHash } = rules;
    const inCell = [keys.review(cell), keys.tenantPrefix(tenant, cell)];
    const args = [tenant, version, pack(config), settlingRulesHash, keys.published, since];
    const reply = await this.#commands.publishRules!(...inCell, ...args);
    if (reply === null) return null;
    const [timeVersion, timeSince] = (reply as string[]).map(Number) as [number, number];
    return { version: timeVersion, since: timeSince };
  }

  async #change(
    command: string,
    call: ScriptCall,
    ...changes: (Buffer | number | string)[]
  ): Promise<unknown> {
    const { tenant, cell } = call;
    const reply = await this.#commands[command]!(
      keys.outbox(cell),
      keys.due(cell),
      keys.tenantPrefix(tenant, cell),
      tenant,
      call.version,
      call.now,
      ...changes,
      call.calendars,
      call.rules,
      this.#cells.spread === 1 ? 0 : call.now * TICKET.arrivalsPerMs,
    );
    if (reply !== null) await this.confirm(cell);
    return reply;
  }
}
