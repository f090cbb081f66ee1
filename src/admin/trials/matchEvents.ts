import { ServiceError } from '../../base/errors.ts';
import { MATCHED_EXAMPLES_MAX } from '../../base/trialLimits.ts';
import type { Condition } from '../../contract/conditions/condition.ts';
import type { MatchedEvent } from '../../contract/configured/matchedEvents.ts';
import type { AttributeValue } from '../../contract/kinds/field.ts';
import type { LatestEvent } from '../../db/trials/latestEvents.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { computeLocalTime } from '../../rules/calendar.ts';
import { CLOCK, splitFacts, userFact } from '../../rules/conditions/facts.ts';
import { conditionTest, type EventFacts } from '../../rules/conditions/holds.ts';
import { typesOf } from '../../rules/conditions/typedValues.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { secondAt } from '../../rules/timeOfDay.ts';
import { attributesByKey, checkCondition } from '../kinds/conditionRules.ts';
import { checkFilter } from '../kinds/ruleChecks.ts';

/** Which events count. */
interface Filter {
  where: Condition;
  eventAttributes: AttributeValue[];
}

/** @throws ServiceError `invalid`, which names every fault */
export function assertFilter({ config }: Rules, { where, eventAttributes }: Filter): void {
  const faults: string[] = [];
  const report = (field: string, message: string): number => faults.push(`${field} ${message}`);
  checkCondition(report, 'where', where, attributesByKey(config.attributes));
  checkFilter(
    report,
    'eventAttributes',
    eventAttributes,
    'event',
    new Map(config.attributes.map((one) => [one.id, one])),
  );
  if (faults.length > 0) throw new ServiceError('invalid', faults.join('; '));
}

/** Tries a filter on events, the latest first. @param states of their users, today */
export function matchEvents(
  rules: Rules,
  { where, eventAttributes }: Filter,
  events: readonly LatestEvent[],
  states: ReadonlyMap<string, UserState>,
): { events: number; matching: number; examples: MatchedEvent[] } {
  const holds = conditionTest(where, typesOf(rules.config));
  const tried = events.map((event): MatchedEvent => {
    const state = states.get(event.userId) ?? null;
    const facts = factsOf(rules, event, state);
    const attributes = facts.attributes as Record<string, string>;
    const hasAll = eventAttributes.every(
      ({ attributeId, attributeValue }) =>
        attributes[rules.byId('attributes', attributeId).key] === attributeValue,
    );
    const at = new Date(event.at).toISOString();
    const { eventId, userId, value } = event;
    return {
      eventId,
      userId,
      name: state?.name || null,
      at,
      value,
      attributes,
      matches: hasAll && holds(facts),
    };
  });
  const shown = { true: 0, false: 0 };
  const isShown = ({ matches }: MatchedEvent): boolean => shown[`${matches}`]++ < MATCHED_EXAMPLES_MAX;
  return {
    events: tried.length,
    matching: tried.filter(({ matches }) => matches).length,
    examples: tried.filter(isShown),
  };
}

/** What the history holds of an event, and of its user today what it does not hold. */
function factsOf(rules: Rules, { at, day, value, kept }: LatestEvent, state: UserState | null): EventFacts {
  const { attributes, facts } = splitFacts(kept ?? {});
  const zone = state?.tz || rules.config.settings.defaultTimeZone;
  const byKey = (type: 'event' | 'user', find: (no: number) => string | null | undefined) =>
    Object.fromEntries(
      rules.config.attributes.flatMap((one) => {
        const text = one.type === type ? (find(one.no) ?? null) : null;
        return text === null ? [] : [[one.key, text]];
      }),
    );
  return {
    attributes: byKey('event', (no) => attributes.get(no)),
    value,
    day,
    second: Number(facts[CLOCK] ?? secondAt(at, computeLocalTime(zone, at).offsetMs)),
    user: byKey('user', (no) => (userFact(no) in facts ? facts[userFact(no)] : state?.attributes.get(no))),
  };
}
