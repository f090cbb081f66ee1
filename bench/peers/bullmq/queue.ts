/** Name of the queue of events. */
export const EVENTS_QUEUE = 'peer-events';
