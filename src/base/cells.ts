import { hash32 } from './ids.ts';

/** The cell that holds a tenant. */
export function cellOf(tenant: number, cells: number): number {
  return hash32(String(tenant)) % cells;
}

/** The numbers of all cells, from 0. */
export function allCells(cells: number): number[] {
  return Array.from({ length: cells }, (_, cell) => cell);
}

/** @throws Error if the environment gives another number of cells than this installation has */
export function assertSameCells(given: number | null, cells: number): void {
  if (given === null || given === cells) return;
  throw new Error(`LAUREL_CELLS is ${given}, but this installation was made with ${cells}; it cannot change`);
}
