import type { Choice } from './schema.ts';

/** Days off as the API numbers them: 0 is Sunday. A week begins on Monday. */
export const WEEKDAYS: Choice[] = [
  { value: '1', label: 'Monday' },
  { value: '2', label: 'Tuesday' },
  { value: '3', label: 'Wednesday' },
  { value: '4', label: 'Thursday' },
  { value: '5', label: 'Friday' },
  { value: '6', label: 'Saturday' },
  { value: '0', label: 'Sunday' },
];
