let screens = 0;

/** Whether this is the first screen since the console was opened; each screen asks once. */
export const isFirstScreen = (): boolean => ++screens === 1;
