import type { Condition } from '../../contract/conditions/condition.ts';
import type { Attribute, Config } from '../config.ts';
import type { Counting } from '../counting.ts';
import type { ScriptFact } from '../scriptRules.ts';
import { secondAt } from '../timeOfDay.ts';

/*
 * Conditions may ask for facts of the user at the event: the local clock, and user attributes. Only the
 * scripts know them. They report the facts that conditions of the metric ask for, and the history keeps them
 * beside the attributes of the event, under keys that are no numbers. So an undo and every other look at the
 * history finds what the script has seen. An event without a fact is of the time before a condition asked for
 * it, and does not count by one that does.
 */

/** Key of the local second of the day. */
export const CLOCK = 'clock';
/** Key of a user attribute, by number. */
export const userFact = (no: number): string => `u${no}`;

/** By key; null for an attribute that the user did not have. */
export type Facts = Readonly<Record<string, string | null>>;

/** What the history keeps of an event under keys: its attributes by number, and the facts. */
export function splitFacts(kept: Readonly<Record<string, string | null>>) {
  const attributes = new Map<number, string>();
  const facts: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(kept)) {
    if (/^\d+$/.test(key)) attributes.set(Number(key), value!);
    else facts[key] = value;
  }
  return { attributes, facts };
}

/** What a condition asks for. */
function askedBy(condition: Condition, users: ReadonlyMap<string, Attribute>): ScriptFact[] {
  if ('all' in condition) return condition.all.flatMap((one) => askedBy(one, users));
  if ('any' in condition) return condition.any.flatMap((one) => askedBy(one, users));
  if ('not' in condition) return askedBy(condition.not, users);
  if ('localTime' in condition) return [{ key: CLOCK }];
  if (!('user' in condition)) return [];
  const { no } = users.get(condition.user.attribute)!;
  return [{ key: userFact(no), attribute: no }];
}

/** Keys of the facts without which an event does not count. */
export const factsNeeded = ({ where }: Counting, users: ReadonlyMap<string, Attribute>): string[] =>
  where === null ? [] : [...new Set(askedBy(where, users).map(({ key }) => key))];

/** What the conditions on events of a metric ask for. */
export function factsAsked({ counters }: Config, metricId: string, users: ReadonlyMap<string, Attribute>) {
  const asked = counters
    .filter((counter) => counter.metricId === metricId && counter.where !== null)
    .flatMap(({ where }) => askedBy(where!, users));
  return [...new Map(asked.map((fact) => [fact.key, fact])).values()];
}

/** Facts as a script reports them: key, value, …; the clock as a local instant (ms). */
export type ReportedFacts = (string | number | false)[];

/** The same for the history. */
export const keptFacts = (reported: ReportedFacts): (string | false)[] =>
  reported.map((part) => (typeof part === 'number' ? String(secondAt(part, 0)) : part));

/** Facts of the history in the same form. */
export const factPairs = (facts: Facts): (string | false)[] =>
  Object.entries(facts).flatMap(([key, value]) => [key, value ?? false]);
