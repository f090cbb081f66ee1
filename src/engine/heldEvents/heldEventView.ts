import type { HeldEvent } from '../../contract/heldEvents.ts';
import type { HeldEventRow } from '../../db/history/heldEventRows.ts';
import type { Rules } from '../../rules/rules.ts';

/** The key of a metric; `#` and the number once it is deleted. */
export const metricKeyOf = (rules: Rules, no: number): string =>
  rules.findByNo('metrics', no)?.key ?? `#${no}`;

export function heldEventView(rules: Rules, row: HeldEventRow): HeldEvent {
  return {
    id: row.eventId,
    userId: row.userId,
    metric: metricKeyOf(rules, row.metric),
    value: row.value,
    attributes: row.attributes,
    timestamp: row.happenedAt.toISOString(),
    guard: row.guard as HeldEvent['guard'],
    heldAt: row.heldAt.toISOString(),
    status: row.status,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
  };
}
