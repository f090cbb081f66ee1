import { hash32 } from './ids.ts';

export const CELLS_DEFAULT = 16;

/** The cells of an installation, as the first start has fixed them. */
export interface Cells {
  readonly count: number;
  /** Number of cells over which each tenant is spread, at most `count`. */
  readonly spread: number;
}

/** The cells that hold the users of a tenant: the home cell first. */
export function cellsOf(tenant: number, cells: Cells): number[] {
  const home = homeCellOf(tenant, cells);
  return Array.from({ length: cells.spread }, (_, i) => cellAt(home, i, cells));
}

/** The first cell of a tenant, from which servers read the published rules. */
export function homeCellOf(tenant: number, { count }: Cells): number {
  return hash32(String(tenant)) % count;
}

/** The cell that holds a user: the state, the idempotency keys, the due time and the outbox entries. */
export function cellOf(tenant: number, userId: string, cells: Cells): number {
  const home = homeCellOf(tenant, cells);
  if (cells.spread === 1) return home;
  return cellAt(home, mixed(hash32(`${tenant}:${userId}`)) % cells.spread, cells);
}

/**
 * The i-th cell of a tenant. Its cells lie at even distances in the order of the slots, so the nodes of a
 * cluster, each of which has a range of slots, share them evenly.
 */
function cellAt(home: number, i: number, { count, spread }: Cells): number {
  const { bySlot, place } = ringOf(count);
  return bySlot[(place[home]! + Math.floor((i * count) / spread)) % count]!;
}

/** All cells in the order of their slots, and the place of each cell in it. */
interface Ring {
  bySlot: readonly number[];
  place: readonly number[];
}

const rings = new Map<number, Ring>();

function ringOf(count: number): Ring {
  let ring = rings.get(count);
  if (ring === undefined) {
    const slots = Array.from({ length: count }, (_, cell) => slotOf(String(cell)));
    const bySlot = slots.map((_, cell) => cell).sort((a, b) => slots[a]! - slots[b]!);
    const place: number[] = [];
    for (const [at, cell] of bySlot.entries()) place[cell] = at;
    ring = { bySlot, place };
    rings.set(count, ring);
  }
  return ring;
}

/** The last step of MurmurHash3: each bit of the result depends on all bits, so its last bits are even. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const next = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (next ^ (next >>> 16)) >>> 0;
}

/** The numbers of all cells, from 0. */
export function allCells({ count }: Cells): number[] {
  return Array.from({ length: count }, (_, cell) => cell);
}

/** What LAUREL_CELLS and LAUREL_SPREAD say; null for a variable that is not set. */
export interface GivenCells {
  cells: number | null;
  spread: number | null;
}

/** @throws Error if the environment gives other numbers than this installation has */
export function assertSameCells(given: GivenCells, { count, spread }: Cells): void {
  if (given.cells !== null && given.cells !== count) {
    throw new Error(
      `LAUREL_CELLS is ${given.cells}, but this installation has ${count} cells; the number cannot change`,
    );
  }
  if (given.spread !== null && given.spread !== spread) {
    throw new Error(
      `LAUREL_SPREAD is ${given.spread}, but this installation uses ${spread}; \`laurel restore\` changes it`,
    );
  }
}

const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The slot of a key with this hash tag in Redis Cluster: its CRC16 (XMODEM), reduced to the slots. */
export function slotOf(hashTag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
  }
  return crc % SLOTS;
}
