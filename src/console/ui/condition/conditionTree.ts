import {
  type AttributeCondition,
  COMPARISONS,
  type Comparison,
  type Condition,
} from '../../../contract/conditions/condition.ts';

/** A condition as people edit it: groups of parts, each of which compares one thing. */

export interface ConditionGroup {
  of: 'all' | 'any' | 'none';
  parts: (ConditionGroup | ConditionPart)[];
}

export interface ConditionPart {
  /** VALUE, WEEKDAY, LOCAL_TIME, or the key of an attribute behind ATTRIBUTE or USER. */
  subject: string;
  operator: string;
  to: unknown;
}

export const VALUE = 'value';
export const WEEKDAY = 'weekday';
export const LOCAL_TIME = 'localTime';
export const ATTRIBUTE = 'attribute ';
export const USER = 'user ';

type ComparingCondition = AttributeCondition | { value: Comparison<number> } | { user: AttributeCondition };

export const isGroup = (part: ConditionGroup | ConditionPart): part is ConditionGroup => 'parts' in part;

const group = (of: ConditionGroup['of'], conditions: readonly Condition[]): ConditionGroup => ({
  of,
  parts: conditions.flatMap((one) => partsOf(one, of)),
});

/** Two comparisons of one thing are two parts of a group of all. */
function partsOf(condition: Condition, of: ConditionGroup['of']): ConditionGroup['parts'] {
  if ('all' in condition) return [group('all', condition.all)];
  if ('any' in condition) return [group('any', condition.any)];
  if ('not' in condition)
    return [group('none', 'any' in condition.not ? condition.not.any : [condition.not])];
  if ('weekday' in condition) return [{ subject: WEEKDAY, operator: 'in', to: condition.weekday }];
  if ('localTime' in condition) return [{ subject: LOCAL_TIME, operator: 'in', to: condition.localTime }];
  const [subject, compared] = comparedIn(condition);
  const parts = [...COMPARISONS, 'exists'].flatMap((operator) => {
    const to = (compared as Record<string, unknown>)[operator];
    return to === undefined ? [] : [{ subject, operator, to }];
  });
  return parts.length > 1 && of !== 'all' ? [{ of: 'all', parts }] : parts;
}

function comparedIn(condition: ComparingCondition): [subject: string, compared: Comparison] {
  if ('value' in condition) return [VALUE, condition.value];
  if ('user' in condition) return [`${USER}${condition.user.attribute}`, condition.user];
  return [`${ATTRIBUTE}${condition.attribute}`, condition];
}

export function groupOf(condition: Condition | null): ConditionGroup {
  const [only, ...rest] = condition === null ? [] : partsOf(condition, 'all');
  if (only === undefined) return { of: 'all', parts: [] };
  return rest.length === 0 && isGroup(only) ? only : { of: 'all', parts: [only, ...rest] };
}

/** null without a part. */
export function conditionOfGroup({ of, parts }: ConditionGroup): Condition | null {
  const within = parts.flatMap((part) => {
    const condition = isGroup(part) ? conditionOfGroup(part) : conditionOfPart(part);
    return condition === null ? [] : [condition];
  });
  if (within.length === 0) return null;
  const [only] = within;
  if (of === 'none') return { not: within.length === 1 ? only! : { any: within } };
  if (within.length === 1) return only!;
  return of === 'all' ? { all: within } : { any: within };
}

function conditionOfPart({ subject, operator, to }: ConditionPart): Condition {
  if (subject === WEEKDAY) return { weekday: to } as Condition;
  if (subject === LOCAL_TIME) return { localTime: to } as Condition;
  if (subject === VALUE) return { value: { [operator]: to } };
  if (subject.startsWith(USER)) return { user: { attribute: subject.slice(USER.length), [operator]: to } };
  return { attribute: subject.slice(ATTRIBUTE.length), [operator]: to };
}
