import type { ValueType } from '../contract/kinds/attributeKind.ts';

/** Conditions as the scripts test them. */

/** A condition of which some parts are derived attributes. One field says which form it has. */
export interface ScriptCondition {
  all?: ScriptCondition[];
  any?: ScriptCondition[];
  none?: ScriptCondition;
  /** Number of a derived attribute. */
  derived?: number;
  /** 0 is Sunday. */
  weekdays?: number[];
  value?: ScriptComparison;
  /** WINDOW of the local clock. */
  window?: [number, number];
  /** Key of a fact that is a user attribute, and how it is compared. */
  user?: string;
  as?: ValueType;
  compared?: ScriptComparison;
  /** Whether the condition holds for a user without the attribute. */
  ifMissing?: true;
}

export interface ScriptComparison {
  eq?: number | string;
  ne?: number | string;
  gt?: number | string;
  gte?: number | string;
  lt?: number | string;
  lte?: number | string;
  listed?: (number | string)[];
}
