import type { Entity } from './config.ts';

const positionOf = ({ no, position }: Entity): number => position ?? no;

/** The order in which lists show the entities of a kind. */
export const byPosition = (a: Entity, b: Entity): number => positionOf(a) - positionOf(b) || a.no - b.no;

/** A position right before `next`, which `previous` precedes, if anything does. */
export const positionBefore = (next: Entity, previous: Entity | undefined): number =>
  ((previous === undefined ? 0 : positionOf(previous)) + positionOf(next)) / 2;
