/** Configurations of the starter templates. Each is a file, which is read when somebody chooses it. */

export interface Keyed {
  key: string;
}
type Named = Keyed & { name: string };

/** Sections of a configuration file that templates use. */
export interface StarterConfig {
  attributes?: { user?: Keyed[]; event?: Keyed[] };
  metrics: Named[];
  achievements: Named[];
  points: (Named & { boosts?: object[] })[];
  leaderboards: Named[];
  challenges?: Named[];
  /** Texts of messages, which have no key. */
  templates?: { name: string }[];
  streak?: { metrics: Keyed[] };
}

/** What is known of a template before its file is read. */
export interface TemplateFile {
  /** Address of the file. */
  path: string;
  /** Number of items that it configures. */
  items: number;
  /** Keys of its metrics. */
  metrics: string[];
}

/** Called by the build (vite.config.ts). */
export const templateFile = (path: string, config: StarterConfig): TemplateFile => ({
  path,
  items: itemsOf(config),
  metrics: config.metrics.map(({ key }) => key),
});

/** Number of items that a template configures. */
const itemsOf = ({
  metrics,
  achievements,
  points,
  leaderboards,
  challenges = [],
  templates = [],
}: StarterConfig): number =>
  [metrics, achievements, points, leaderboards, challenges, templates].reduce(
    (sum, { length }) => sum + length,
    0,
  );
