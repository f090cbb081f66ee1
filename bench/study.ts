import type { Bench } from './bench.ts';
import type { Print } from './report/report.ts';
import type { Measurements } from './report/results.ts';

/** A measurement with a text of its own, on stores of its own. */
export interface Study {
  name: string;
  /** What the documentation says of it. */
  measures: string;
  /** Whether a run without names includes it. The others take minutes. */
  isDefault: boolean;
  /** @throws Error if what was recorded is not what was sent */
  measure(bench: Bench, print: Print): Promise<Measurements>;
}
