import type { Static, TSchema } from 'typebox';
import type { Operation, ResponseOf } from '../../contract/operation.ts';

/** The type of the answer of GET at a path. */

type Reads<Module> = Module extends unknown
  ? Extract<Module[keyof Module], Operation & { route: `GET ${string}` }>
  : never;
type AdminReads = Reads<
  | typeof import('../../contract/achievementFunnel.ts')
  | typeof import('../../contract/activation.ts')
  | typeof import('../../contract/configured/challengeAnalytics.ts')
  | typeof import('../../contract/configured/adminConfiguration.ts')
  | typeof import('../../contract/adminUsers.ts')
  | typeof import('../../contract/configured/adminWebhooks.ts')
  | typeof import('../../contract/analytics.ts')
  | typeof import('../../contract/anomalies.ts')
  | typeof import('../../contract/eventUndo.ts')
  | typeof import('../../contract/experiment.ts')
  | typeof import('../../contract/heldEvents.ts')
  | typeof import('../../contract/imports.ts')
  | typeof import('../../contract/leagueAdmin.ts')
  | typeof import('../../contract/lifecycle.ts')
  | typeof import('../../contract/listedUsers.ts')
  | typeof import('../../contract/notifications.ts')
  | typeof import('../../contract/outages.ts')
  | typeof import('../../contract/progressAnalytics.ts')
  | typeof import('../../contract/retention.ts')
  | typeof import('../../contract/settings.ts')
  | typeof import('../../contract/status.ts')
  | typeof import('../../contract/streakLoss.ts')
  | typeof import('../../contract/testClock.ts')
  | typeof import('../../contract/timeline.ts')
  | typeof import('../../contract/variantActivity.ts')
  | typeof import('../../contract/leaderboardAdmin.ts')
>;
type ApplicationReads = Reads<
  | typeof import('../../contract/achievement.ts')
  | typeof import('../../contract/challenge.ts')
  | typeof import('../../contract/leaderboard.ts')
  | typeof import('../../contract/metric.ts')
  | typeof import('../../contract/points.ts')
  | typeof import('../../contract/preferences.ts')
  | typeof import('../../contract/streak.ts')
  | typeof import('../../contract/user.ts')
  | typeof import('../../contract/wrapped.ts')
>;
type Resources<Module> = Module extends unknown
  ? Extract<Module[keyof Module], { path: string; view: unknown }>
  : never;

/** "/users/{id}/block" → `/users/${string}/block` */
type Pattern<Path> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Pattern<After>}`
  : Path;
type IfSame<A, B, Then> = [A] extends [B] ? ([B] extends [A] ? Then : never) : never;

type AnswerOfOperation<Path, Base extends string, O> = O extends Operation & { route: `GET ${infer Route}` }
  ? IfSame<Path, `${Base}${Pattern<Route>}`, ResponseOf<O>>
  : never;
type AnswerOfResource<Path, R> = R extends {
  path: infer Route extends string;
  view: infer View extends TSchema;
}
  ? IfSame<Path, Pattern<Route>, Static<View>[]> | IfSame<Path, `${Pattern<Route>}/${string}`, Static<View>>
  : never;

/** The answer at a path of the Admin API, or of the Application API if it begins with `/v1`. */
export type AnswerAt<Path> =
  | AnswerOfOperation<Path, '', AdminReads>
  | AnswerOfOperation<Path, '/v1', ApplicationReads>
  | AnswerOfResource<
      Path,
      Resources<
        | typeof import('../../contract/configured/adminEntities.ts').ADMIN_RESOURCES
        | typeof import('../../contract/adminAccess.ts')
      >
    >;
