import { signal } from '@preact/signals';

/** What is open above the screen: the search or the list of shortcuts. */
export const openPanel = signal<'search' | 'shortcuts' | null>(null);
