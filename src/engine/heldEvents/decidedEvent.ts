import type { HeldEventRow, HeldStatus } from '../../db/history/heldEventRows.ts';

/** What has become of a held event that an administrator decides on. */
export interface DecidedEvent {
  id: string;
  /** null: no such event is held. */
  status: HeldStatus | null;
  /** Why the event is not in the status that was asked for. */
  error?: string;
}

const IS: Record<HeldStatus, string> = {
  held: 'held',
  approving: 'being approved',
  approved: 'approved',
  rejected: 'rejected',
  expired: 'expired',
};

/** An event that was decided on before. @param asked the status that was asked for */
export function decidedAlready(id: string, held: HeldEventRow | null, asked: HeldStatus): DecidedEvent {
  if (held === null) return { id, status: null, error: `No event ${id} is held` };
  const { status } = held;
  return status === asked ? { id, status } : { id, status, error: `The event is ${IS[status]}` };
}
