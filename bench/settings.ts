/** Length of a round, and number of rounds of which the median counts. */
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Connections of a load, unless a scenario says otherwise. */
export const CONNECTIONS = 256;
