import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import { hasHiddenEvents, hasOwnEvents, type ImportedUser } from '../../support/modelImportedUsers.ts';
import { importPast, mayImport } from '../../support/modelImports.ts';
import { zoneOf } from '../../support/modelTime.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { EventOperation } from '../../support/randomOperations.ts';
import { Excused, type Expected } from '../difference.ts';
import type { ImportUserOperation } from '../operations.ts';
import type { ImportedRows } from '../service.ts';
import type { Both, Performers } from './both.ts';
import { bodyOf, eventsOf } from './events.ts';
import { columnsOf, dayOfRow, isRefused, userRow } from './importedUsers.ts';

const AHEAD_MS = 1_000;
/** More users than a world has. */
const RANKED_MAX = 100;
const ANY_ID = new Excused('string', 'random');
const MACHINE_TIME = new Excused('any', 'of the machine');
const REASON = new Excused('string', 'reasons have tests of their own');

/** A row of the file, and whether it is refused. */
interface Row {
  line: number;
  userId: string;
  content: Record<string, unknown>;
  isRefused: boolean;
}

export const IMPORTS: Performers<'import' | 'importUser'> = {
  async import(both, { userId, past, invalid }) {
    const { service, model, books, now } = both;
    const known = model.users.get(userId);
    // Users without events may have a past, and others one after their last change. The plain model begins with it.
    const isLive = known !== undefined && known.events.length > 0 && known.block === null;
    const before = known?.created ?? now + 1;
    const events = past
      .map(({ ago, event }) => ({ at: now - ago, event }))
      .filter(({ at }) => at < before && mayImport(model.config, at, now));
    if (events.length === 0 || (known !== undefined && !isLive)) return;
    const contents = events.map(({ at, event }) => rowOf(event, at));
    const rows = contents.map((content, i) => ({ line: i + 1, userId, content, isRefused: isLive }));
    if (invalid) rows.push(rowInFuture(both, rows.length + 1, events[0]!.event));
    const answer = await service.importRows(
      'events',
      rows.map(({ content }) => content),
    );
    if (!isLive) {
      const dated = events.map(({ at, event }) => ({ at, ofMetrics: eventsOf(model.config, event, at) }));
      const outcomes = both.webhooks.silently(userId, () =>
        books.log.inCall('past', () => importPast(model, userId, dated, now)),
      );
      for (const [i, outcome] of outcomes.entries()) rows[i]!.isRefused = !isApplied(outcome);
      for (const { localDate } of model.users.get(userId)?.events ?? []) books.noteDate(userId, localDate);
    }
    compareImport(both, 'events', answer, rows);
    await both.readUser(userId);
  },

  async importUser(both, operation) {
    const { service, model } = both;
    const { userId } = operation;
    const known = model.users.get(userId);
    if (known !== undefined && hasHiddenEvents(known)) return;
    const row = userRow(both, operation);
    const content = columnsOf(both, userId, row, operation);
    const others = rowsBeside(both, operation);
    const answer = await service.importRows('users', [content, ...others.map((other) => other.content)]);
    const longest = operation.streak?.longest ?? null;
    const isTaken = both.webhooks.silently(userId, () => applyUser(both, userId, row, longest));
    compareImport(both, 'users', answer, [{ line: 1, userId, content, isRefused: !isTaken }, ...others]);
    const user = model.users.get(userId);
    const isSet = known === undefined || (row.streak !== null && user?.preferences?.enabled !== false);
    if (isTaken && isSet) await compareLongest(both, user!, row.streak?.longest ?? 0);
    // What the row before has left shows in lists, too.
    await both.readUser(userId, isTaken && known !== undefined);
  },
};

/** A row of a user whom no import changes any more, so that the call has the calendar of the zone of the other user. */
function rowsBeside({ model }: Both, { userId, beside }: ImportUserOperation): Row[] {
  const [user, other] = [model.users.get(userId), model.users.get(beside ?? '')];
  if (user === undefined || other === undefined || other === user) return [];
  if (!hasOwnEvents(other) || hasHiddenEvents(other) || other.block !== null) return [];
  const content = { id: other.id, tz: zoneOf(user, model.config) };
  return [{ line: 2, userId: other.id, content, isRefused: true }];
}

/** @returns whether the row is taken */
function applyUser(
  { model, books, now }: Both,
  userId: string,
  row: ImportedUser,
  longest: number | null,
): boolean {
  const known = model.users.get(userId);
  const { isVisible, ...others } = row.preferences;
  const preferences = known === undefined ? row.preferences : others;
  const changes = isRefused(model.config, { ...row, longest }, dayOfRow(model, row, userId, now))
    ? null
    : books.log.inCall('importUser', () => model.importUser(userId, { ...row, preferences }, now));
  if (changes === null) return false;
  const user = model.users.get(userId)!;
  books.enterImport(user, changes, model.today(user, now), now);
  if (known !== undefined && isVisible !== undefined) {
    const earlier = isVisible ? [] : model.rankings.namesWith(userId);
    model.prefer(userId, { isVisible }, earlier, now);
  }
  return true;
}

/** Compares the longest streak of a user without events. */
async function compareLongest(
  { service, compare }: Both,
  { id: userId, name }: ModelUser,
  longest: number,
): Promise<void> {
  await service.relayed();
  const path = `/v1/streaks/rankings?type=longest&limit=${RANKED_MAX}`;
  const { status, body } = await service.call('GET', path);
  const found = status === 200 ? body.filter((one: { userId: string }) => one.userId === userId) : body;
  const expected = longest === 0 ? [] : [{ userId, name, streakLength: longest }];
  compare(`GET ${path}`, { status, body: found }, { status: 200, body: expected });
}

const rowOf = (event: EventOperation, at: number): Record<string, unknown> => ({
  ...bodyOf(event, at),
  ...(event.others === undefined && { metric: event.metric }),
});

function rowInFuture({ now }: Both, line: number, event: EventOperation): Row {
  const { user } = event.request;
  return { line, userId: user.id, content: rowOf(event, now + AHEAD_MS), isRefused: true };
}

/** An event whose key was used counts as applied, also if the guard of its metric held the first one. */
const isApplied = (outcomes: readonly Outcome[]): boolean =>
  outcomes.every(
    (one) =>
      one.status === 'recorded' || one.status === 'replayed' || (one.status === 'held' && one.guard === null),
  );

/** Compares the import and its refused rows. */
function compareImport(
  both: Both,
  kind: string,
  { found, refused }: ImportedRows,
  rows: readonly Row[],
): void {
  const left = rows.filter(({ isRefused }) => isRefused);
  const applied = rows.length - left.length;
  const body: Expected = {
    ...{ id: ANY_ID, kind, merge: null, name: '', secondsPerDay: null, day: null, state: 'done', chunks: 1 },
    rows: { received: rows.length, applied, refused: left.length },
    ...{ rowsPerSecond: MACHINE_TIME, created: MACHINE_TIME, finished: MACHINE_TIME },
  };
  both.compare(`GET /admin/v1/imports/{id} ${JSON.stringify(rows.map(({ content }) => content))}`, found, {
    status: 200,
    body,
  });
  const listed = left.map(({ line, userId, content }) => ({
    ...{ line, userId, reason: REASON, row: JSON.stringify(content) },
  }));
  both.compare('GET /admin/v1/imports/{id}/refused', refused, { status: 200, body: { refused: listed } });
}
