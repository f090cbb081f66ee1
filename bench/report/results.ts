import type { UsagePerUnit } from '../usage/usage.ts';

/** A scenario's result: its median round. */
export interface Row {
  name: string;
  title: string;
  /** Events or reads a second. */
  perSecond: number;
  latency_ms: { p50: number; p99: number };
  /** What an event or read cost; null if the processes could not be seen. */
  usage: UsagePerUnit | null;
  relayLag_s?: number;
}

/** Measurements of a study by their names, units last. */
export type Measurements = Record<string, number>;

/** Everything that a run has measured, as `--json` writes it. */
export interface Results {
  /** ISO 8601. */
  date: string;
  machine: { cpu: string; cores: number; memory_GiB: number; node: string };
  settings: { seconds: number; rounds: number; connections: number; users: number; seed: number };
  rows: Row[];
  studies: Record<string, Measurements>;
}
