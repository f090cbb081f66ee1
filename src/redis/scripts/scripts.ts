import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { TimeInForce } from '../../rules/scriptRules.ts';
import { type Confirm, Replication } from '../connection/replication.ts';
import { pack } from '../decoding/codec.ts';
import { FORMAT_CONSUMER, KNOWN_FORMAT_CONSUMERS } from '../decoding/outbox.ts';
import { keys } from '../keys/redisKeys.ts';
import { ERASED_USER, LEFT_RANKING } from '../layouts/argumentLayout.ts';
import { LEDGER_EDIT, RETIRED_KEYS } from '../layouts/keyLayout.ts';
import { type RecordOf, readRecords, toRecord, toRecords } from '../layouts/recordLayout.ts';
import { RANKED } from '../layouts/reportLayout.ts';
import { TICKET } from '../lua/scriptConstants.ts';
import type { ColdKeys, NumberedKeys } from '../usedKeys/keyLedger.ts';
import { RECEIPTS_PER_CELL, type Receipt } from './redisReceipts.ts';
import type {
  ImportEventsCall,
  MoveUsersCall,
  RecordEventsCall,
  RecordLateEventCall,
  ScriptCall,
  SettleUsersCall,
} from './scriptArguments.ts';

export interface RankingPage {
  /** Place and rank of the first entry. */
  first: { place: number; rank: number };
  entries: { userId: string; userName: string | null; score: number }[];
}

export type LeftRanking = RecordOf<typeof LEFT_RANKING>;

/** Ids of the first and the last entry of an outbox that is not empty. */
export interface OutboxRange {
  first: string;
  last: string;
}

/** Outcomes, and both parts of the state of a user. */
type WithState = [outcomes: Buffer, hot?: Buffer, cold?: Buffer];

type Command = (...args: (string | number | Buffer)[]) => Promise<unknown>;

/** One typed function for each script. Others are called from keptScripts.ts and renameScripts.ts only. */
export class Scripts {
  readonly #commands: Record<string, Command>;
  readonly #cells: Cells;
  readonly #replication: Replication;

  constructor(redis: Redis, cells: Cells) {
    this.#commands = redis as unknown as Record<string, Command>;
    this.#cells = cells;
    this.#replication = new Replication(redis);
  }

  /** @returns the outcomes; null if the rules are stale */
  recordEvents(call: RecordEventsCall): Promise<Buffer | null> {
    const { changes, details, keyUses, rankFloors = '', metricsEvents = '' } = call;
    return this.#change('recordEventsBuffer', call, changes, details, keyUses, rankFloors, metricsEvents);
  }

  /**
   * @returns the outcomes, followed by both parts of the user's state if the history is needed and the user
   * is not new; null if the rules are stale
   */
  recordLateEvent(call: RecordLateEventCall): Promise<WithState | null> {
    const { changes, details, keyUses, late, calendarsThen } = call;
    return this.#change('recordLateEventBuffer', call, changes, details, keyUses, late, calendarsThen);
  }

  /**
   * @returns the outcome and both parts of the user's state (missing for an unknown user); null if the rules
   * are stale
   */
  changeUser(call: ScriptCall): Promise<WithState | null> {
    return this.#change('changeUserBuffer', call, call.changes);
  }

  /**
   * @param addingImport number of the import if it adds to what users have, else 0
   * @param erasures in the cell when the rows were read
   * @returns the outcomes; null if the rules are stale
   */
  importUsers(call: ScriptCall, addingImport: number, erasures: string): Promise<Buffer | null> {
    return this.#change('importUsersBuffer', call, call.changes, addingImport, erasures);
  }

  /** @returns how far each user is (msgpack); null if the rules are stale */
  importEvents(call: ImportEventsCall): Promise<Buffer | null> {
    const { details, instants, pastKeys, users, importNo, stepsMax, pastIndex, pastCalendars } = call;
    const { erasures, metricsEvents = '' } = call;
    const events = [call.changes, details, instants, pastKeys];
    const own = [...events, users, importNo, stepsMax, pastIndex, pastCalendars, erasures, metricsEvents];
    return this.#change('importEventsBuffer', call, ...own);
  }

  /**
   * @returns for each user, when to settle the user next or which time zone is missing (msgpack); null if the
   * rules are stale
   */
  settleUsers(call: SettleUsersCall): Promise<Buffer | null> {
    return this.#change('settleUsersBuffer', call, call.changes, call.stepsMax, call.horizons);
  }

  /** @returns the number of users who were moved; null if the rules are stale */
  moveUsers(call: MoveUsersCall): Promise<number | null> {
    return this.#change('moveUsers', call, call.changes, call.run);
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
      userId,
      userName: name || null,
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

  /** Returns the reply of the script, as do the next two. */
  readUserStates(cell: number, users: Buffer): Promise<Buffer> {
    return this.#readOfCell('readUserStatesBuffer', cell, users);
  }

  readUsers(cell: number, users: Buffer): Promise<Buffer> {
    return this.#readOfCell('readUsersBuffer', cell, users);
  }

  readRanks(cell: number, members: Buffer): Promise<Buffer> {
    return this.#readOfCell('readRanksBuffer', cell, members);
  }

  #readOfCell(command: string, cell: number, asked: Buffer): Promise<Buffer> {
    return this.#commands[command]!(keys.outbox(cell), keys.cellPrefix(cell), asked, cell) as Promise<Buffer>;
  }

  /**
   * Call it before commands about some cells, and what it returns after them (Replication.watch).
   * `recordEvents` and the other changes of users do so themselves.
   */
  watch(...cells: number[]): Confirm {
    const confirms = cells.map((cell) => this.#replication.watch(cell));
    return async () => void (await Promise.all(confirms.map((confirm) => confirm())));
  }

  /**
   * @param user `sequence` is 0 for an unknown user
   * @param rankings that the user may be in
   * @returns the rankings that the user was in; null if the user has another sequence number: then nothing
   * was changed
   */
  async eraseUser(
    tenant: number,
    user: { userId: string; sequence: number },
    rankings: readonly LeftRanking[],
  ): Promise<LeftRanking[] | null> {
    const cell = cellOf(tenant, user.userId, this.#cells);
    const prefix = keys.tenantPrefix(tenant, cell);
    const asked = [pack(toRecord(ERASED_USER, user)), pack(toRecords(LEFT_RANKING, rankings))];
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
    const none = { coldBefore: false as const, filter: 0, filterLines: 0, filterTimed: false, ...replaced };
    const lists = { slices, retire: toRecords(RETIRED_KEYS, retire), forget, fingerprints };
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

  async #change<Reply>(
    command: string,
    call: ScriptCall,
    ...changes: (Buffer | number | string)[]
  ): Promise<Reply | null> {
    const { tenant, cell } = call;
    const confirm = this.#replication.watch(cell);
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
    if (reply !== null) await confirm();
    return reply as Reply | null;
  }
}
