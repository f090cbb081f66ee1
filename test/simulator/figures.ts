import type { Expected } from './difference.ts';
import { arrangeExport, exportOf } from './expected/exports.ts';
import { figureReads } from './expected/figures/allFigures.ts';
import { KINDS_COMPARED } from './expected/timeline.ts';
import type { Both } from './perform/both.ts';

/** What is compared once, when a world ends: timelines, exports and analytics, against sums over the log. */

/** Several pages of a timeline show that none is left out or comes twice. */
const PAGE = 3;
const READERS = 4;

export async function compareFigures(both: Both): Promise<void> {
  const { service, model, books, now } = both;
  for (const userId of model.users.keys()) {
    await compareTimeline(both, userId);
    await compareExport(both, userId);
  }
  await service.recountCohorts();
  const figures = { model, log: books.log, now, isSpread: service.cellOf !== null };
  const waiting = figureReads(figures);
  const readSome = async (): Promise<void> => {
    for (let read = waiting.pop(); read !== undefined; read = waiting.pop()) {
      const path = `/admin/v1/analytics/${read.path}`;
      const answer = await service.call('GET', path);
      if (answer.status === 200) read.arrange?.(answer.body as never);
      both.compare(`GET ${path}`, answer, { status: 200, body: read.body });
    }
  };
  await Promise.all(Array.from({ length: READERS }, readSome));
}

async function compareTimeline(both: Both, userId: string): Promise<void> {
  const { service, model, books } = both;
  const { moves, movedTogether } = books.log.of(userId)!;
  const areRanksKnown =
    service.cellOf === null && movedTogether.size === 0 && moves.every(({ call }) => call !== 'past');
  for (const [kind, itemsOf] of Object.entries(KINDS_COMPARED)) {
    if (kind === 'rank' && !areRanksKnown) continue;
    const path = `/admin/v1/users/${encodeURIComponent(userId)}/timeline?kinds=${kind}`;
    const found: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await service.call('GET', `${path}&limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
      if (page.status !== 200) return both.compare(`GET ${path}`, page, { status: 200, body: {} });
      found.push(...page.body.items);
      cursor = page.body.cursor;
    }
    const ofKind = itemsOf(model, books, userId).map((item): Expected => ({ kind, ...item }));
    const instants = found.map(({ at }) => String(at));
    const body = { items: found.toSorted(byContent), instants };
    both.compare(
      `GET ${path}`,
      { status: 200, body },
      {
        status: 200,
        body: { items: ofKind.toSorted(byContent), instants: instants.toSorted().reverse() },
      },
    );
  }
}

async function compareExport({ service, model, books, now, compare }: Both, userId: string): Promise<void> {
  const path = `/admin/v1/users/${encodeURIComponent(userId)}/export`;
  const answer = await service.call('GET', path);
  const body = exportOf(model, books, userId, now);
  if (answer.status === 200) arrangeExport(answer.body, body, model.config, now);
  compare(`GET ${path}`, answer, { status: 200, body });
}

/** Ids are random. */
const NOT_IN_ORDER = ['id', 'eventId', 'undoes'];

/** Items of one instant have no order that the model knows. */
function byContent(a: unknown, b: unknown): number {
  const text = (item: unknown): string =>
    JSON.stringify(item, (name, value) => (NOT_IN_ORDER.includes(name) ? null : sorted(value)));
  return text(a) < text(b) ? -1 : 1;
}

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
