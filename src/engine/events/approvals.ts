import { type Cells, cellOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import type { HeldEventRow } from '../../db/history/heldEventRows.ts';
import { type AskedKey, findUsedKeys } from '../../db/history/usedKeyRows.ts';
import type { Queryable } from '../../db/pool.ts';
import { pack } from '../../redis/scripts/codec.ts';
import { decodeOutcomes } from '../../redis/scripts/decodeOutcomes.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import { KEY_USE } from '../../redis/scripts/scriptLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { toRecord } from '../../redis/state/recordLayout.ts';
import { prepareEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { ScriptRules } from '../../rules/scriptRules.ts';
import type { EventRanks } from '../leaderboards/eventRanks.ts';
import type { ScriptCallDependencies } from '../users/settler.ts';
import type { Retries } from './retries.ts';
import { addEvent, buildCall, packProfile } from './scriptCall.ts';

/** An approved event, with the key under which it is recorded once, whatever is repeated. */
export type ApprovedEvent = HeldEventRow & { metricKey: string };

const approvalKey = (eventId: string): string => `approval of ${eventId}`;

/** Records events that an administrator has approved. No guard applies to them. */
export class Approvals {
  readonly #scripts: Scripts;
  readonly #retries: Retries;
  readonly #cells: Cells;
  readonly #ranks: EventRanks;

  constructor({ scripts, retries, cells, ranks }: ScriptCallDependencies & { ranks: EventRanks }) {
    this.#scripts = scripts;
    this.#retries = retries;
    this.#cells = cells;
    this.#ranks = ranks;
  }

  /**
   * Records the event as of now, with the id that it was held under.
   * @returns `replayed` if it has been recorded before
   * @throws ServiceError if the rules refuse it
   */
  async record(rulesAtFirst: Rules, db: Queryable, held: ApprovedEvent): Promise<Outcome> {
    const { userId, eventId } = held;
    const cell = cellOf(rulesAtFirst.tenant, userId, this.#cells);
    const attempt = this.#retries.begin(rulesAtFirst, userId);
    let sentMs = 0;
    const [done] = await this.#retries.untilDone(rulesAtFirst, [attempt], async (rules, _, now) => {
      rules.assertSameId(rulesAtFirst);
      rules.assertServing();
      const request = { user: { id: userId }, value: held.value, attributes: held.attributes };
      const event = prepareEvent(rules, held.metricKey, request, approvalKey(eventId), () => eventId);
      const asked: AskedKey = { userId, metric: event.metric.no, fingerprint: event.fingerprint as string };
      const [use] = await findUsedKeys(db, rules.tenant, [asked]);
      const [events, details]: [unknown[], unknown[]] = [[], []];
      addEvent(events, details, event, eventId, packProfile(false));
      sentMs = monotonicMs();
      const reply = await this.#scripts.recordEvents({
        ...buildCall(rules, cell, now, events, new Set(attempt.zones), [
          withoutGuards(rules.scriptRules({ kind: 'event', metric: event.metric })),
        ]),
        details: pack(details),
        keyUses: pack({
          [asked.fingerprint]: toRecord(KEY_USE, { usedAt: use?.usedAt ?? 0, idAt: 0 }),
        }),
      });
      return reply && decodeOutcomes(reply);
    });
    const { rules, answer } = done!;
    this.#ranks.apply({ rules, cell, sentMs }, [answer]);
    await new Promise<void>((resolve) => this.#ranks.whenMerged({ rules, cell }, answer, resolve));
    return answer;
  }
}

/** The key of an approval does not run out: one that is repeated long after a crash changes nothing. */
const withoutGuards = (rules: ScriptRules): ScriptRules => ({
  ...rules,
  guards: false,
  idempotencyWindowMs: false,
});
