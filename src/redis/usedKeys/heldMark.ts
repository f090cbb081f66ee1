/**
 * The fingerprint that marks the event of an idempotency key as held: the negative of the key's own
 * fingerprint (lua/includes/holdEvent.lua).
 */
export const heldMark = (fingerprint: string): string =>
  fingerprint.startsWith('-') ? fingerprint.slice(1) : `-${fingerprint}`;
