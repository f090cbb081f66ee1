import { SingleBar } from 'cli-progress';

const FORMAT = '{what} {bar} {percentage}% {value}/{total} in {duration_formatted}';
const NAME_CHARS = 18;
/** Time between two lines if no terminal shows a bar. */
const LINE_EVERY_MS = 2_000;

export interface Progress {
  begin(what: string, total: number): void;
  advance(by: number): void;
  end(): void;
}

/** Shows a bar for each part of a long command on a terminal, else plain lines. */
export function createProgressBar(): Progress {
  let bar = new SingleBar({});
  return {
    begin(what, total) {
      bar = new SingleBar({
        format: FORMAT,
        stream: process.stdout,
        noTTYOutput: true,
        notTTYSchedule: LINE_EVERY_MS,
        hideCursor: true,
        barsize: 30,
      });
      bar.start(total, 0, { what: what.padEnd(NAME_CHARS) });
    },
    advance: (by) => bar.increment(by),
    end: () => bar.stop(),
  };
}

export const noProgress: Progress = { begin: () => {}, advance: () => {}, end: () => {} };
