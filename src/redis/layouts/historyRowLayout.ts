import { layout, number } from './recordLayout.ts';

/* Rows of the history in a REPAIR record that the scripts only pass on to the relay. Instants in ms. */

export const LOSS_ROW = layout({ period: number, length: number, lostAt: number });
export const EARNED_ROW = layout({ at: number, freezes: number });
