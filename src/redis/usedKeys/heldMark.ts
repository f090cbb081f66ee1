/** The fingerprint that says that the event of a key is held (lua/includes/holdEvent.lua). */
export const heldMark = (fingerprint: string): string =>
  fingerprint.startsWith('-') ? fingerprint.slice(1) : `-${fingerprint}`;
