// Written by laurel types. Write it again after a change of the configuration.
import 'laurel-client';

declare module 'laurel-client' {
  interface Keys {
    metrics: 'lessons';
    achievements: 'first' | 'week';
    points: 'xp';
    leaderboards: 'all';
  }
}
